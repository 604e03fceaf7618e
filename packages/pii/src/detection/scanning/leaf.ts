import { isIP } from 'node:net';
import { PART_CHARACTERS, type Steps } from '../../slices.ts';
import { PII_TYPES, type Span } from '../detector.ts';
import type { KeyHint } from '../hints/keys.ts';
import type { Hint } from '../hints/words.ts';
import { isLuhn } from '../rules/checksums.ts';
import { isMachineMade } from '../rules/emails.ts';
import { isReserved } from '../rules/reserved-addresses.ts';
import { isWords } from '../rules/secrets.ts';
import { type Place, plainSteps } from './digits.ts';
import { normaliseSteps } from './normalise.ts';
import { triggerSteps } from './triggers.ts';

/** The forms of whole values by the type that their key indicates. */
const WHOLE: Readonly<Partial<Record<KeyHint, RegExp>>> = {
  PHONE: /^\+?[\d(][\d\s().\-/]{4,22}\d(?:\s{0,2}[,;]?\s?(?:x|ext\.?|extension|#)\s?\d{1,6})?$/i,
  SSN: /^\d{3}[-. ]?\d{2}[-. ]?\d{4}$/,
  CREDIT_CARD: /^\d(?:[-. ]?\d){11,18}$/,
  IBAN: /^[A-Z]{2}\d{2}(?:[-. ]?[A-Z0-9]){10,30}$/i,
  MAC: /^[0-9A-F]{2}(?:[:.-]?[0-9A-F]{2}){5}$/i,
  DATE_OF_BIRTH: /^(?=.{0,40}\d)[\p{L}\p{N}][\p{L}\p{N} ,./:+-]{3,39}$/u,
  PASSPORT: /^(?=.{0,20}\d)[A-Z0-9][A-Z0-9 -]{4,16}$/i,
  NATIONAL_ID: /^(?=.{0,30}\d)[A-Z0-9][A-Z0-9 ./-]{4,24}$/i,
  SECRET:
    /^(?:(?:Bearer|Basic|Token) )?(?!\[[A-Z_]+_\d+\]$|\*+$|<|\$\{|https?:|null$|true$|false$|none$|string$|undefined$|redacted$|\.{1,2}\/|\/\S{0,200}\.\w{1,5}$|[\^~>=<v]*\d+\.\d+\.\d+(?:[-+]\S*)?$)\S{6,4096}$/i,
  NAME: /^(?!.*@)[\p{L}][\p{L}\p{M}\p{Pd}'’.,()\- ]{0,79}$/u,
  ADDRESS: /^(?!.*@)(?=[\s\S]{0,200}\p{L})(?=[\s\S]{0,200}[\d\s])[\p{L}\p{N}#][\s\S]{4,199}$/u,
  ADDRESS_PART: /^[\p{L}\p{N}][\p{L}\p{N} .'-]{1,59}$/u,
};
/** Types whose values may be JSON numbers. */
const NUMERIC = new Set<KeyHint>(['PHONE', 'SSN', 'CREDIT_CARD', 'DATE_OF_BIRTH', 'NATIONAL_ID', 'PASSPORT']);
const MIN_PROSE_WORDS = 4;
const MAX_WHOLE_CHARS = 4_200;

/** Finds values in a decoded text. */
type Look = (decoded: string) => readonly Span[];

/** The facts about a leaf of a document. */
export interface Leaf {
  readonly hint: KeyHint | undefined;
  /** Set for the key of an identifier: its values may look like e-mail addresses. */
  readonly id?: boolean;
  /** Whether the text has a key. */
  readonly place?: Place;
  /** Set if `normalise` would not change the string. */
  readonly folded?: boolean;
}

/** Finds all values in a string without a document. Offsets are those of the string. */
export function stringSteps(value: string, leaf: Leaf, found: Span[], look?: Look): Steps {
  return normalSteps(value, leaf, found, true, look);
}

/** Finds values with digits or `@`, and the value that the key indicates. `triggerSteps` finds the rest in the document. */
export function leafSteps(value: string, leaf: Leaf, found: Span[]): Steps {
  return normalSteps(value, leaf, found, false);
}

/** Checks whether a JSON number under a key of this type can be personal data. */
export function isNumericHint(hint: KeyHint | undefined): hint is KeyHint {
  return hint !== undefined && NUMERIC.has(hint);
}

/** Returns the span of a JSON number that is personal data by its key. */
export function scanNumber(literal: string, hint: KeyHint): Span | undefined {
  if (!/^\d+$/.test(literal)) return undefined;
  const size = literal.length;
  const fits =
    hint === 'PHONE' ? size >= 7 && size <= 15 : hint === 'CREDIT_CARD' ? size >= 12 && size <= 19 : size >= 5;
  if (!fits || (hint === 'SSN' && size !== 9)) return undefined;
  return { start: 0, end: size, type: hint, evidence: 'marked' };
}

function* normalSteps(value: string, leaf: Leaf, found: Span[], words: boolean, look?: Look): Steps {
  const normal = leaf.folded ? undefined : yield* normaliseSteps(value);
  const text = normal?.text ?? value;
  const before = found.length;
  const whole = wholeValue(text, leaf.hint);
  if (whole) found.push(whole);
  else yield* textSteps(text, leaf, found);
  // The token of a page is opaque: it goes back to its server as it is.
  if (words && leaf.hint !== 'CURSOR') yield* triggerSteps(text, found, look);
  if (!normal) return;
  for (let index = before; index < found.length; index++) {
    const span = found[index];
    if (span) found[index] = { ...span, start: normal.start(span.start), end: normal.end(span.end - 1) };
    if (index % PART_CHARACTERS === 0) yield;
  }
}

/** Returns the span of a text that is a value of the type of its key as a whole. */
export function wholeValue(text: string, keyed: KeyHint | undefined): Span | undefined {
  // `cc` means copies of a message, or a credit card.
  const hint =
    keyed === 'EMAIL' && WHOLE.CREDIT_CARD?.test(text) && isLuhn(text.replace(/\D/g, '')) ? 'CREDIT_CARD' : keyed;
  if (hint === undefined || text.length > MAX_WHOLE_CHARS || !(hint === 'IP' || WHOLE[hint])) return undefined;
  const start = text.length - text.trimStart().length;
  const value = text.trim();
  const fits = hint === 'IP' ? isIP(value) > 0 && !isReserved(value) : (WHOLE[hint]?.test(value) ?? false);
  if (!fits || (hint === 'ADDRESS' && isIP(value) > 0) || (hint === 'SECRET' && isWords(value))) return undefined;
  const type = hint === 'ADDRESS_PART' ? 'ADDRESS' : hint;
  return { start, end: start + value.length, type, evidence: 'marked' };
}

function* textSteps(text: string, { hint, id, place }: Leaf, found: Span[]): Steps {
  if (hint !== 'CURSOR' && (hint !== 'OTHER' || isProse(text))) {
    yield* plainSteps(text, textHint(hint), found, place ?? 'text');
    return;
  }
  const all: Span[] = [];
  yield* plainSteps(text, 'OTHER', all);
  for (const span of all) if (isAllowedInId(text, span, id === true)) found.push(span);
}

/** Checks a finding in an identifier, time or price: only formats that no number has by chance count. */
function isAllowedInId(text: string, span: Span, id: boolean): boolean {
  if (span.type === 'IBAN' || span.type === 'MAC') return true;
  if (span.type !== 'EMAIL') return false;
  return !(id && isMachineMade(text.slice(span.start, text.indexOf('@', span.start))));
}

function isProse(text: string): boolean {
  if (text.length < 16) return false;
  let words = 0;
  for (let at = text.indexOf(' '); at >= 0 && words < MIN_PROSE_WORDS; at = text.indexOf(' ', at + 1)) words++;
  return words >= MIN_PROSE_WORDS;
}

/** Types that a hint alone does not find in a text: they have rules of their own. */
const OWN_RULES: readonly string[] = ['SECRET', 'NAME', 'ADDRESS'];
const TEXT_HINTS = new Set<string>(PII_TYPES.filter((type) => !OWN_RULES.includes(type)));

function textHint(hint: KeyHint | undefined): Hint | undefined {
  return hint !== undefined && TEXT_HINTS.has(hint) ? (hint as Hint) : undefined;
}
