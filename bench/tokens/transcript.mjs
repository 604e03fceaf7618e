// What passes through a model, word by word, and what it costs.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Prices as multiples of plain input: read from a cache, written to it, output. */
export const PRICES = { cached: 0.1, fresh: 1.25, output: 5 };

const known = new Map();

/** Exact tokens (o200k_base) of a text; text of strangers may hold what looks like a control token. */
export function tokens(text) {
  const before = known.get(text);
  if (before !== undefined) return before;
  const count = countTokens(text, { disallowedSpecial: new Set() });
  known.set(text, count);
  return count;
}

/** A conversation: `system` and `prompt`, then turns of what the model writes and what it reads next. */
export function openTranscript(system, prompt) {
  return { system, prompt, turns: [] };
}

/** A call as the model writes it. */
export const written = (name, args) => JSON.stringify({ name, arguments: args });

/** Adds a turn: `calls` are texts that the model writes, `results` those that it reads for them; `part` names what for. */
export function addTurn(transcript, part, calls, results) {
  transcript.turns.push({ part, output: calls, input: results });
}

/**
 * Counts a transcript. `cost` is in tokens of plain input. Cached: each request reads what the one before had sent and writes
 * the rest; otherwise all of it is sent anew. `warm`: another conversation has put `system` into the cache before.
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
