import { messageOf, PiiError } from '../errors.ts';
import { type Detector, PII_TYPES, type Span } from './detector.ts';
import { type LinearPattern, linearPattern } from './linear-pattern.ts';

/** A pattern in the form of the configuration. */
export interface PatternText {
  readonly pattern: string;
  /** Any of `i`, `m`, `s`, `u`, `g`. All matches are found with and without `g`. */
  readonly flags?: string;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{1,23}$/;

/**
 * Creates a detector for a custom type. Its regular expression engine takes time in proportion to the text for every
 * pattern. Raises `PATTERN_INVALID` for look-around and backreferences, and for a pattern that does not compile or
 * matches the empty text. Raises it also for an invalid name, or the name of a built-in type.
 */
export function patternDetector(name: string, pattern: RegExp | PatternText): Detector {
  const { source, flags } =
    pattern instanceof RegExp ? pattern : { source: pattern.pattern, flags: pattern.flags ?? '' };
  const type = name.toUpperCase();
  if (!NAME.test(name)) {
    throw invalid(
      name,
      'a name must have 2 to 24 letters, digits and "_" and start with a letter, as in "customer_id"',
    );
  }
  if ((PII_TYPES as readonly string[]).includes(type))
    throw invalid(name, `${type} is a built-in type. Choose another name`);
  const compiled = compile(name, source, flags);
  if (compiled.matcher('').find()) {
    throw invalid(name, 'it matches the empty text. Require a character, for example with + in place of *');
  }
  return { name: `pattern ${name}`, detect: (text) => matches(compiled, text, type) };
}

function compile(name: string, source: string, flags: string): LinearPattern {
  try {
    return linearPattern(source, flags);
  } catch (error) {
    throw invalid(name, messageOf(error));
  }
}

function matches(compiled: LinearPattern, text: string, type: string): Span[] {
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
  return new PiiError('PATTERN_INVALID', `The pattern "${name}" is invalid: ${problem}.`, {
    details: { name },
  });
}
