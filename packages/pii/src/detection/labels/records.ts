import type { PiiType, Span } from '../detector.ts';

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

/** Finds the values of persons in HL7 messages, vCard and iCal. */
export function* recordSpans(text: string): Iterable<Span> {
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
