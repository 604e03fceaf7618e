import { RE2JS } from 're2js';
import { messageOf } from '../errors.ts';

/** Maximum characters of a pattern. */
const MAX_PATTERN_CHARS = 1_000;
const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  g: 0,
  u: 0,
  d: 0,
};

/**
 * Compiles a regular expression in the syntax of JavaScript. It takes time in proportion to the text for every pattern. Raises an
 * `Error` with the reason for a pattern that is too long, does not compile, or has look-around or backreferences.
 */
export function linearPattern(source: string, flags = ''): RE2JS {
  if (source.length > MAX_PATTERN_CHARS) {
    throw new Error(`it has ${source.length} characters, and the limit is ${MAX_PATTERN_CHARS}. Shorten it`);
  }
  let bits = 0;
  for (const flag of flags) {
    const bit = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (bit === undefined) throw new Error(`the flag "${flag}" is not supported. Use i, m, s, u or g`);
    bits |= bit;
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), bits);
  } catch (error) {
    const reason = 'Look-around and backreferences are not supported because their time is not linear';
    throw new Error(`${messageOf(error)}. ${reason}`, { cause: error });
  }
}
