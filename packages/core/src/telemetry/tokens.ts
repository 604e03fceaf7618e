/** Counts the tokens (o200k_base) of a text. */
export type CountTokens = (text: string) => number;

/** Characters that are counted exactly. The count of a longer text is extrapolated from its first characters. */
const COUNTED_CHARACTERS = 50_000;
/** The tokenizer's time grows with the square of a run's length. Text with longer runs is counted in pieces. */
const LONG_RUN = /[\p{L}\p{M}]{256}|[^\s\p{L}\p{N}]{256}|\s{256}/u;
const PIECE_CHARACTERS = 256;

let loading: Promise<CountTokens> | undefined;

/**
 * Loads the tokenizer, once for the process, and returns the function that counts tokens. Every token count in Toolwright
 * uses it.
 */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= import('./tokenizer.ts').then(({ countTokens: count }) => (text) => {
    if (text.length <= COUNTED_CHARACTERS) return countRuns(text, count);
    return Math.round((countRuns(text.slice(0, COUNTED_CHARACTERS), count) * text.length) / COUNTED_CHARACTERS);
  });
  return loading;
}

function countRuns(text: string, count: CountTokens): number {
  if (!LONG_RUN.test(text)) return count(text);
  let tokens = 0;
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) tokens += count(text.slice(at, at + PIECE_CHARACTERS));
  return tokens;
}
