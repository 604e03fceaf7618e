import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Untrusted text may contain the name of a control token: it counts as ordinary text. */
const AS_ORDINARY_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts the tokens (o200k_base) of a text. Load this module with `await import()`: its table takes 100 ms or more to load.
 * `npm run build` bundles the library into `dist`, so that users install this one table and not all encodings (30 MB).
 */
export function countTokens(text: string): number {
  return count(text, AS_ORDINARY_TEXT);
}
