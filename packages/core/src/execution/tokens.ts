type CountTokens = (text: string) => number;

/** Characters that are counted; for longer texts, the count is extrapolated. */
const COUNTED_CHARACTERS = 200_000;
/** The tokenizer's time is quadratic in the length of a run, so text with long runs is counted in pieces. */
const LONG_RUN = /[\p{L}\p{M}]{256}|[^\s\p{L}\p{N}]{256}|\s{256}/u;
const PIECE_CHARACTERS = 256;

let counting: Promise<CountTokens> | undefined;

/** Loads the tokenizer o200k_base. Loading is slow: call it ahead of the first count. */
export function loadTokenizer(): Promise<CountTokens> {
  counting ??= import('../catalog/tokenizer.ts').then(({ countTokens: count }) => (text) => {
    if (text.length <= COUNTED_CHARACTERS) return countRuns(text, count);
    return Math.round((countRuns(text.slice(0, COUNTED_CHARACTERS), count) * text.length) / COUNTED_CHARACTERS);
  });
  return counting;
}

function countRuns(text: string, count: CountTokens): number {
  if (!LONG_RUN.test(text)) return count(text);
  let tokens = 0;
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) tokens += count(text.slice(at, at + PIECE_CHARACTERS));
  return tokens;
}
