import type { Steps } from '../../slices.ts';
import type { PiiType, Span } from '../detector.ts';
import { isNameOf } from '../hints/object-evidence.ts';
import { isPersonalName } from '../hints/personal-names.ts';
import { EVIDENCE } from '../hints/persons.ts';
import { wholeValue } from '../scanning/leaf.ts';
import { type Entry, entriesOf } from './entries.ts';
import { addressAt, isCommon, nameAt } from './values.ts';

/** Types of values with digits that have no check digit: the key is their only proof. */
const WITH_DIGITS: ReadonlySet<string> = new Set(['DATE_OF_BIRTH', 'PHONE']);
const MIN_DIGITS = 6;
const WORD = "\\p{Lu}(?:[\\p{L}\\p{M}]|['’-](?=\\p{L})){1,29}";
/** A name before its e-mail address, as in headers of mail and in commits. */
const BEFORE_ADDRESS = new RegExp(
  `(?<![\\p{L}\\p{N}])(${WORD}(?:,? (?:\\p{Lu}\\.|(?:van|von|de|der|di|da|del|la) ?|${WORD})){0,3},? ${WORD})"? $`,
  'u',
);
/** Roles and teams have letters of upper case: "QA Lead". */
const INITIALS = /\p{Lu}{2}/u;
const MAX_ADDRESS_CHARS = 64;
const MAX_NAME_CHARS = 100;

/** The fields of persons in HL7 version 2 by segment; the fields after the name of a segment count from 1. */
const SEGMENTS: Readonly<Record<string, Readonly<Record<number, PiiType>>>> = {
  PID: { 5: 'NAME', 6: 'NAME', 7: 'DATE_OF_BIRTH', 9: 'NAME', 11: 'ADDRESS', 13: 'PHONE', 14: 'PHONE', 19: 'SSN' },
  NK1: { 2: 'NAME', 4: 'ADDRESS', 5: 'PHONE', 6: 'PHONE' },
  GT1: { 3: 'NAME', 5: 'ADDRESS', 6: 'PHONE', 8: 'DATE_OF_BIRTH', 12: 'SSN' },
  IN1: { 16: 'NAME', 18: 'DATE_OF_BIRTH', 19: 'ADDRESS' },
};
const LAST_FIELD = 30;
const SEGMENT = /^(PID|NK1|GT1|IN1)\|/gm;
/** The names, addresses and birthdays of vCard and iCal with their parameters. */
const CARD = /^(?:item\d{1,2}\.)?(FN|N|NICKNAME|ADR|BDAY)(?:;[^:\r\n]{0,100})?:([^\r\n]{2,200})/gm;
const CARD_TYPES: Readonly<Record<string, PiiType>> = { ADR: 'ADDRESS', BDAY: 'DATE_OF_BIRTH' };
const COMMON_NAME =
  /^(?:ORGANIZER|ATTENDEE)(?:;(?!CN=)[^;:\r\n"]{0,60}){0,8};CN=(?:"([^"\r\n]{2,80})"|([^";:\r\n]{2,80}))/gm;
/** A social security number in any field, before the parts of its issuer. */
const SSN = /^\d{3}-\d{2}-\d{4}(?=\^|$)/;
const SSN_CHARS = 11;
const TITLE = /^(?:dr|mrs?|ms|prof|sir|jr|sr)\.?$/i;
const HAS_LETTER = /\p{L}{2}/u;
const HAS_DIGITS = /\d{2}.{0,4}\d{2}/;

/** Finds values under keys in texts that are no JSON and no table. Takes time in proportion to the length of the text. */
export function* labelledSteps(text: string, found: Span[]): Steps {
  for (const entry of yield* entriesOf(text)) {
    const span = spanOf(text, entry);
    if (span) found.push(span);
  }
  yield;
  for (const span of recordSpans(text)) found.push(span);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const span = nameBefore(text, at);
    if (span) found.push(span);
  }
}

/** Returns the name before an e-mail address in angle brackets, by the place of its `@`. */
function nameBefore(text: string, at: number): Span | undefined {
  let open = at - 1;
  while (open > at - MAX_ADDRESS_CHARS && text.charCodeAt(open) > 32 && text[open] !== '<' && text[open] !== '@')
    open--;
  if (text[open] !== '<' || text[open - 1] !== ' ') return undefined;
  const before = text.slice(Math.max(0, open - MAX_NAME_CHARS), open);
  const match = BEFORE_ADDRESS.exec(before);
  return match ? marked(open - before.length + match.index, match[1]?.length ?? 0, 'NAME') : undefined;
}

function spanOf(text: string, { facts, start, end, isClosed, group }: Entry): Span | undefined {
  const value = text.slice(start, end);
  const { hint } = facts;
  if (hint === 'ADDRESS') {
    const address = addressAt(value);
    return address === undefined ? undefined : marked(start, address.length, 'ADDRESS');
  }
  if (
    hint === 'NAME' ||
    hint === 'BARE_NAME' ||
    ((hint === undefined || hint === 'NEUTRAL') && facts.inside === EVIDENCE.parent)
  ) {
    const name = nameAt(isClosed ? value : text.slice(start, end + 2), isClosed);
    if (name === undefined) return undefined;
    const isPerson =
      hint === 'NAME'
        ? !isCommon(name) || group.evidence.person >= EVIDENCE.contact
        : hint === 'BARE_NAME'
          ? isNameOf(name, facts, group.inside, group.evidence)
          : !INITIALS.test(name) && isPersonalName(name, EVIDENCE.weak, 0);
    return isPerson ? marked(start, name.length, 'NAME') : undefined;
  }
  if (hint === undefined || !WITH_DIGITS.has(hint) || value.replace(/\D/g, '').length < MIN_DIGITS) return undefined;
  const whole = wholeValue(value, hint);
  return whole && { ...whole, start: start + whole.start, end: start + whole.end };
}

function marked(start: number, length: number, type: PiiType): Span {
  return { start, end: start + length, type, evidence: 'marked' };
}

/** Finds the values of persons in HL7 messages, vCard and iCal. */
function* recordSpans(text: string): Iterable<Span> {
  if (text.includes('PID|') || text.includes('NK1|')) yield* segments(text);
  for (const { 0: whole, 1: key = '', 2: value = '', index } of text.includes('BEGIN:V') ? text.matchAll(CARD) : []) {
    yield* trimmed(index + whole.length - value.length, value, CARD_TYPES[key] ?? 'NAME');
  }
  for (const { 0: whole, 1: quoted, 2: plain, index } of text.includes(';CN=') ? text.matchAll(COMMON_NAME) : []) {
    const value = quoted ?? plain ?? '';
    const end = index + whole.length - (quoted === undefined ? 0 : 1);
    if (!value.includes('@')) yield* trimmed(end - value.length, value, 'NAME');
  }
}

function* segments(text: string): Iterable<Span> {
  for (const { 1: name = '', index } of text.matchAll(SEGMENT)) {
    const types = SEGMENTS[name] ?? {};
    let start = index;
    for (let field = 0; field <= LAST_FIELD; field++) {
      const { end, isLast } = fieldEnd(text, start);
      const type = types[field];
      const value = text.slice(start, end);
      if (type) yield* trimmed(start, value, type);
      else if (SSN.test(value)) yield { start, end: start + SSN_CHARS, type: 'SSN', evidence: 'marked' };
      if (isLast) break;
      start = end + 1;
    }
  }
}

function fieldEnd(text: string, start: number): { end: number; isLast: boolean } {
  let end = start;
  while (end < text.length && text[end] !== '|' && text[end] !== '\r' && text[end] !== '\n') end++;
  return { end, isLast: text[end] !== '|' };
}

/** Returns the spans of a value: each part of a name, which `;` and `^` divide, and other values without empty parts at their borders. */
function* trimmed(start: number, value: string, type: PiiType): Iterable<Span> {
  const parts = type === 'NAME' ? /[^;^\r\n]+/g : /[^;^\s,][^\r\n]*[^;^\s,]/g;
  for (const { 0: part, index } of value.matchAll(parts)) {
    const fits = type === 'NAME' || type === 'ADDRESS' ? HAS_LETTER.test(part) : HAS_DIGITS.test(part);
    if (fits && !TITLE.test(part))
      yield { start: start + index, end: start + index + part.length, type, evidence: 'marked' };
  }
}
