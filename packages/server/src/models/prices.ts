import type { ModelPrice } from './model.ts';

/**
 * List prices in US dollars for a million tokens, copied from models.dev (github.com/anomalyco/models.dev, `providers/`) on
 * 2026-11-22. The table has no prices for long prompts, cache writes and batches. Prices change, so costs are estimates.
 */
export const PRICES: Readonly<Record<string, ModelPrice>> = {
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cachedInput: 0.1 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cachedInput: 0.5 },
  'anthropic/claude-opus-5': { input: 5, output: 25, cachedInput: 0.5 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cachedInput: 0.3 },
  'anthropic/claude-sonnet-5': { input: 2, output: 10, cachedInput: 0.2 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cachedInput: 0.03 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10, cachedInput: 0.125 },
  'mistral/mistral-large-latest': { input: 0.5, output: 1.5 },
  'mistral/mistral-small-latest': { input: 0.1, output: 0.3 },
  'openai/gpt-5': { input: 1.25, output: 10, cachedInput: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cachedInput: 0.025 },
};

/** The date of a version at the end of a name: `-20250929`, `-2025-08-07`. */
const DATE = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/;

/** Returns the price of a model or of its dated version, or `undefined` for a model outside of the table. */
export function priceOf(name: string): ModelPrice | undefined {
  const known = (key: string) => (Object.hasOwn(PRICES, key) ? PRICES[key] : undefined);
  return known(name) ?? known(name.replace(DATE, ''));
}
