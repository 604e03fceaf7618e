import type { Span } from '../../detector.ts';
import { closesAt, isWord } from '../boundaries.ts';
import { NATIONAL_RULES } from './national-rules.ts';

/** The most characters from a name to its number, with words such as "number is" between. */
const WINDOW_CHARS = 60;
const NAMES = new RegExp(
  `(?:(passports?|reisepass|passeport|pasaporte|passaporto)|${NATIONAL_RULES.map(({ names }) => `(${names})`).join('|')})(?![\\p{L}\\p{N}])`,
  'iuy',
);
const PASSPORT = /(?<![\w-])(?=[A-Z]{0,3}\d)[A-Z0-9]{6,9}(?![\w-])/;
const BETWEEN =
  /^(?:[\s:=#"'.,(-]|(?<!\p{L})(?:number|no|nr|nº|num|id|is|the|my|was|card|passport|núm|número|numero|numéro|numer|nummer|номер|lautet|ist|es|est|e|é|è|är|er|to|jest|это|code|insurance)(?!\p{L})){0,12}$/iu;

/** The names that `nationalIdAt` accepts; their first characters are literal. */
export const NATIONAL_NAMES: readonly string[] = [
  'passport',
  'reisepass',
  'pasaporte',
  ...NATIONAL_RULES.flatMap(({ names }) => names.split('|')),
];

/** Returns the national identity or passport number after the name at a position. */
export function nationalIdAt(text: string, start: number): Span | undefined {
  if (start > 0 && isWord(text.charCodeAt(start - 1))) return undefined;
  NAMES.lastIndex = start;
  const match = NAMES.exec(text);
  if (!match) return undefined;
  const from = start + match[0].length;
  const index = match.findIndex((group, at) => at > 0 && group !== undefined);
  return index === 1 ? passport(text, from) : national(text, from, index - 2);
}

function passport(text: string, from: number): Span | undefined {
  const match = PASSPORT.exec(text.slice(from, from + WINDOW_CHARS));
  if (!match || !BETWEEN.test(text.slice(from, from + match.index))) return undefined;
  const start = from + match.index;
  return { start, end: start + match[0].length, type: 'PASSPORT', evidence: 'shape+context' };
}

function national(text: string, from: number, index: number): Span | undefined {
  const rule = NATIONAL_RULES[index];
  const match = rule?.pattern.exec(text.slice(from, from + WINDOW_CHARS));
  if (!rule || !match || !BETWEEN.test(text.slice(from, from + match.index))) return undefined;
  const start = from + match.index;
  const end = start + match[0].length;
  if (isWord(text.charCodeAt(start - 1)) || !closesAt(text, end)) return undefined;
  const plain = match[0].toUpperCase().replace(/[ .-]/g, '');
  return rule.valid(plain) ? { start, end, type: 'NATIONAL_ID', evidence: 'proved' } : undefined;
}
