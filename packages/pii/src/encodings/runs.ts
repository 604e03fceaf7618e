/** A set of ASCII characters. */
export type Characters = Uint8Array;

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The characters of base64, in both alphabets. */
export const BASE64_CHARACTERS: Characters = charactersOf(`${LETTERS_AND_DIGITS}+/-_`);
export const HEX_CHARACTERS: Characters = charactersOf('0123456789abcdefABCDEF');

/** Characters that follow each other. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/** Returns the set of the characters of a text. */
export function charactersOf(text: string): Characters {
  const characters = new Uint8Array(128);
  for (const character of text) characters[character.charCodeAt(0)] = 1;
  return characters;
}

/**
 * Returns the first run of at least `min` characters that begins at or after an offset, and before `until` (default: the end of the text).
 * Unlike a regular expression, which fails on a run of some million characters, it has no limit.
 */
export function nextRun(
  text: string,
  from: number,
  characters: Characters,
  min: number,
  until: number = text.length,
): Run | undefined {
  for (let at = from; at + min <= text.length && at < until; ) {
    // From the last character of a possible run to its first: most texts are skipped in large steps.
    let start = at + min;
    while (start > at && isIn(characters, text, start - 1)) start--;
    if (start === at) return { start: at, end: runEnd(text, at + min, characters) };
    at = start;
  }
  return undefined;
}

/** Returns the offset after the characters of a set that begin at an offset. */
export function runEnd(text: string, from: number, characters: Characters): number {
  let at = from;
  while (at < text.length && isIn(characters, text, at)) at++;
  return at;
}

/** Returns all runs of at least `min` characters. */
export function allRuns(text: string, characters: Characters, min: number): readonly Run[] {
  const runs: Run[] = [];
  for (let run = nextRun(text, 0, characters, min); run; run = nextRun(text, run.end, characters, min)) runs.push(run);
  return runs;
}

function isIn(characters: Characters, text: string, at: number): boolean {
  return characters[text.charCodeAt(at)] === 1;
}
