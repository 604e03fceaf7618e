// The loop of an agent: asks the model, makes its calls in parallel, and repeats until it answers without a call.
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_TURNS = 30;
const TIMEOUT_MS = 10 * 60_000;
const MAX_ATTEMPTS = 5;
const MIN_PAUSE_MS = 2_000;

/**
 * Runs a task. Returns the answer as a person sees it, with turns, tokens, dollars and milliseconds; `problem` if there is no answer.
 */
export async function runTask(prompt, { system, tools, call, restore = (text) => text }, model) {
  const messages = [{ role: 'user', text: prompt }];
  const spent = { turns: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, dollars: 0, modelMs: 0, toolMs: 0 };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  while (spent.turns < MAX_TURNS) {
    const asked = performance.now();
    const { message, usage } = await ask(model, { system, messages, tools, signal });
    spent.turns++;
    spent.modelMs += performance.now() - asked;
    add(spent, usage, model.price);
    messages.push(message);
    if (message.calls.length === 0) return { answer: await restore(message.text), ...spent };
    const called = performance.now();
    const results = await Promise.all(
      message.calls.map(({ tool, input, problem }) => resultOf(tool, input, problem, call)),
    );
    spent.toolMs += performance.now() - called;
    model.received?.(results);
    for (const [index, { id, tool }] of message.calls.entries()) {
      const { text, isError } = results[index];
      messages.push({ role: 'tool', call: id, tool, text, isError });
    }
  }
  return { problem: `no answer after ${MAX_TURNS} turns`, ...spent };
}

async function resultOf(tool, input, problem, call) {
  if (problem !== undefined) return { text: problem, isError: true };
  try {
    return await call(tool, input ?? {});
  } catch (error) {
    return { text: error.message, isError: true };
  }
}

/** Asks again after temporary failures: the benchmark measures no provider. */
async function ask(model, request) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await model.answer(request);
    } catch (error) {
      if (error.code !== 'MODEL_UNAVAILABLE' || attempt === MAX_ATTEMPTS) throw error;
      await sleep(error.details?.retryAfterMs ?? MIN_PAUSE_MS * 2 ** attempt);
    }
  }
}

function add(spent, usage, price) {
  if (!usage) return;
  const { inputTokens, outputTokens, cachedTokens } = usage;
  spent.inputTokens += inputTokens;
  spent.outputTokens += outputTokens;
  spent.cachedTokens += cachedTokens;
  if (!price) return;
  const { input, output, cachedInput = input } = price;
  const millionths = (inputTokens - cachedTokens) * input + cachedTokens * cachedInput + outputTokens * output;
  spent.dollars += millionths / 1e6;
}
