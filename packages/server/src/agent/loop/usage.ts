import type { ModelPrice, ModelUsage } from '../../models/model.ts';
import type { TaskUsage } from '../task.ts';

export const NOTHING_USED: TaskUsage = { steps: 0, inputTokens: 0, outputTokens: 0 };

const MILLION = 1_000_000;

/** Returns the usage after one more answer. It has a cost only if the price is known. */
export function addUsage(before: TaskUsage, answer: ModelUsage, price: ModelPrice | undefined): TaskUsage {
  const costUsd = price === undefined ? undefined : (before.costUsd ?? 0) + costOf(answer, price);
  return {
    steps: before.steps + 1,
    inputTokens: before.inputTokens + answer.inputTokens,
    outputTokens: before.outputTokens + answer.outputTokens,
    costUsd,
  };
}

function costOf({ inputTokens, outputTokens, cachedTokens }: ModelUsage, price: ModelPrice): number {
  const fresh = (inputTokens - cachedTokens) * price.input + cachedTokens * (price.cachedInput ?? price.input);
  return (fresh + outputTokens * price.output) / MILLION;
}
