import { createRequire } from 'node:module';
import { messageOf } from '../errors.ts';

type Library = typeof import('re2js', { with: { 'resolution-mode': 'import' }});

/** A pattern whose search takes time in proportion to the text. */
export interface LinearPattern {
  /** Returns the matches in a text. */
  matcher(text: string): LinearMatcher;
  /** Returns whether a text has a match. */
  test(text: string): boolean;
}

/** The matches of a pattern in one text. */
export interface LinearMatcher {
  /** Goes to the next match. Returns whether there is one. */
  find(): boolean;
  /** Returns the text of the match, or of one of its groups. */
  group(index?: number): string | null;
  /** Returns where the match starts. */
  start(): number;
  /** Returns where the match ends. */
  end(): number;
  /** Returns the number of groups of the pattern. */
  groupCount(): number;
  replaceAll(replacement: string): string;
  replaceFirst(replacement: string): string;
}

const require = createRequire(import.meta.url);

/** Maximum characters of a pattern. */
const MAX_PATTERN_CHARS = 1_000;
/** The flags of JavaScript, and their names in the library. The others change nothing here. */
const FLAGS: Readonly<Record<string, 'CASE_INSENSITIVE' | 'MULTILINE' | 'DOTALL' | undefined>> = {
  i: 'CASE_INSENSITIVE',
  m: 'MULTILINE',
  s: 'DOTALL',
  g: undefined,
  u: undefined,
  d: undefined,
};

/**
 * Compiles a regular expression in the syntax of JavaScript. It takes time in proportion to the text for every pattern. Raises an
 * `Error` with the reason for a pattern that is too long, does not compile, or has look-around or backreferences.
 */
export function linearPattern(source: string, flags = ''): LinearPattern {
  if (source.length > MAX_PATTERN_CHARS) {
    throw new Error(`it has ${source.length} characters, and the limit is ${MAX_PATTERN_CHARS}. Shorten it`);
  }
  const { RE2JS }: Library = require('./re2.cjs');
  let bits = 0;
  for (const flag of flags) {
    if (!Object.hasOwn(FLAGS, flag)) throw new Error(`the flag "${flag}" is not supported. Use i, m, s, u or g`);
    const name = FLAGS[flag];
    if (name !== undefined) bits |= RE2JS[name];
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), bits);
  } catch (error) {
    const reason = 'Look-around and backreferences are not supported because their time is not linear';
    throw new Error(`${messageOf(error)}. ${reason}`, { cause: error });
  }
}
