import { PART_CHARACTERS, type Steps } from '../../slices.ts';

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
  const start = runStart(text, from, characters, min, until);
  return start === undefined ? undefined : { start, end: runEnd(text, start + min, characters) };
}

function runStart(text: string, from: number, characters: Characters, min: number, until: number): number | undefined {
  for (let at = from; at + min <= text.length && at < until; ) {
    // From the last character of a possible run to its first: most texts are skipped in large steps.
    let start = at + min;
    while (start > at && isIn(characters, text, start - 1)) start--;
    if (start === at) return at;
    at = start;
  }
  return undefined;
}

/** Returns the steps to {@link nextRun}: a run may have some million characters. */
export function* nextRunSteps(
  text: string,
  from: number,
  characters: Characters,
  min: number,
  until: number,
): Steps<Run | undefined> {
  const start = runStart(text, from, characters, min, until);
  return start === undefined ? undefined : { start, end: yield* runEndSteps(text, start + min, characters) };
}

/** Returns the offset after the characters of a set that begin at an offset, and before `until` (default: the end of the text). */
export function runEnd(text: string, from: number, characters: Characters, until: number = text.length): number {
  const end = Math.min(until, text.length);
  let at = from;
  while (at < end && isIn(characters, text, at)) at++;
  return at;
}

/** Returns the steps to {@link runEnd}. */
export function* runEndSteps(text: string, from: number, characters: Characters): Steps<number> {
  for (let at = from; ; ) {
    const until = at + PART_CHARACTERS;
    at = runEnd(text, at, characters, until);
    if (at < until) return at;
    yield;
  }
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
