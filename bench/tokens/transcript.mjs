// The complete input and output of a model, and its cost.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Prices as multiples of uncached input: cache reads, cache writes, output. */
export const PRICES = { cached: 0.1, fresh: 1.25, output: 5 };

const known = new Map();

/** Counts the tokens of a text (o200k_base). Text from tools may look like a control token, so none is special. */
export function tokens(text) {
  const before = known.get(text);
  if (before !== undefined) return before;
  const count = countTokens(text, { disallowedSpecial: new Set() });
  known.set(text, count);
  return count;
}

/** Creates a conversation: `system` and `prompt`, then turns of model output and the next input. */
export function openTranscript(system, prompt) {
  return { system, prompt, turns: [] };
}

/** Formats a call as model output. */
export const written = (name, args) => JSON.stringify({ name, arguments: args });

/** Adds a turn: `calls` are output of the model, `results` its next input. `part` is the purpose of the turn. */
export function addTurn(transcript, part, calls, results) {
  transcript.turns.push({ part, output: calls, input: results });
}

/**
 * Counts a transcript. `cost` is in tokens of uncached input. `cached`: each request reads the earlier input from the cache
 * and writes the rest to it. `warm`: `system` is in the cache from an earlier conversation.
 */
export function price(transcript, { cached = true, warm = false } = {}) {
  const parts = {
    definitions: sum(transcript.system),
    prompt: tokens(transcript.prompt),
    discovery: 0,
    calls: 0,
    code: 0,
    results: 0,
    answer: 0,
  };
  let context = parts.definitions + parts.prompt;
  let inCache = warm ? parts.definitions : 0;
  let input = 0;
  let output = 0;
  let cost = 0;
  for (const turn of transcript.turns) {
    const [writes, reads] = [sum(turn.output), sum(turn.input)];
    cost += cached ? PRICES.cached * inCache + PRICES.fresh * (context - inCache) : context;
    cost += PRICES.output * writes;
    input += context;
    output += writes;
    inCache = context;
    context += writes + reads;
    parts[turn.part] += writes;
    parts[turn.part === 'discovery' ? 'discovery' : 'results'] += reads;
  }
  return { contextEnd: context, input, output, turns: transcript.turns.length, cost: Math.round(cost), parts };
}

function sum(texts) {
  return texts.reduce((total, text) => total + tokens(text), 0);
}
