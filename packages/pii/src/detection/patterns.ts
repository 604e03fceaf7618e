import { RE2JS } from 're2js';
import { messageOf, PiiError } from '../errors.ts';
import { type Detector, PII_TYPES, type Span } from './detector.ts';

/** A pattern as the configuration writes it. */
export interface PatternText {
  readonly pattern: string;
  /** Of `i`, `m`, `s`, `u`, `g`; all matches are found in any case. */
  readonly flags?: string;
}

/** Characters of a pattern's source; a longer one is an error. */
const MAX_PATTERN_CHARS = 1_000;
const NAME = /^[A-Za-z][A-Za-z0-9_]{1,23}$/;
const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  g: 0,
  u: 0,
  d: 0,
};

/**
 * A detector of a user's own kind of value. It runs on an engine whose time is linear in the text, so that no pattern
 * can hang it: `PATTERN_INVALID` for what that engine cannot do (look-around, backreferences), what does not compile,
 * what matches the empty text, and a name that is a built-in type or no name.
 */
export function patternDetector(name: string, pattern: RegExp | PatternText): Detector {
  const { source, flags } =
    pattern instanceof RegExp ? pattern : { source: pattern.pattern, flags: pattern.flags ?? '' };
  const type = name.toUpperCase();
  if (!NAME.test(name)) {
    throw invalid(name, 'a name has 2 to 24 letters, digits and "_", a letter first, as in "customer_id"');
  }
  if ((PII_TYPES as readonly string[]).includes(type))
    throw invalid(name, `${type} is a built-in type; take another name`);
  const compiled = compile(name, source, flags);
  if (compiled.matcher('').find()) {
    throw invalid(name, 'it matches the empty text; make it need a character, with + in place of * for example');
  }
  return { name: `pattern ${name}`, detect: (text) => matches(compiled, text, type) };
}

function compile(name: string, source: string, flags: string): RE2JS {
  if (source.length > MAX_PATTERN_CHARS) {
    throw invalid(name, `it has ${source.length} characters; the most are ${MAX_PATTERN_CHARS}`);
  }
  let bits = 0;
  for (const flag of flags) {
    const bit = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (bit === undefined) throw invalid(name, `the flag "${flag}" is not one of i, m, s, u, g`);
    bits |= bit;
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), bits);
  } catch (error) {
    throw invalid(name, `${messageOf(error)}. Look-around and backreferences are not linear in time: write it without`);
  }
}

function matches(compiled: RE2JS, text: string, type: string): Span[] {
  const found: Span[] = [];
  const matcher = compiled.matcher(text);
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) {
      found.push({ start: matcher.start(), end: matcher.end(), type, evidence: 'marked' });
    }
  }
  return found;
}

function invalid(name: string, problem: string): PiiError {
  return new PiiError('PATTERN_INVALID', `The pattern "${name}" cannot be used: ${problem}.`, {
    details: { name },
  });
}
