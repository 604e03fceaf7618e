type CountTokens = (text: string) => number;

/** Characters that are counted exactly; longer texts are extrapolated from that many. */
const EXACT_CHARACTERS = 200_000;

let counting: Promise<CountTokens> | undefined;

/** Loads the tokenizer, o200k_base, which takes a while: call it ahead of the first count. */
export function loadTokenizer(): Promise<CountTokens> {
  counting ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => (text) => {
    if (text.length <= EXACT_CHARACTERS) return countTokens(text);
    return Math.round((countTokens(text.slice(0, EXACT_CHARACTERS)) * text.length) / EXACT_CHARACTERS);
  });
  return counting;
}
