import { PART_CHARACTERS, type Steps } from '../../slices.ts';
import type { Span } from '../detector.ts';
import { beginText, continueText, hintBefore, pauseText } from '../hints/nearby-words.ts';
import type { Hint } from '../hints/words.ts';
import { isDigit, isWord, opensAt } from '../rules/boundaries.ts';
import { cardAt, ibanAt, ssnAt } from '../rules/cards-and-accounts.ts';
import { birthdayAt, dateAt } from '../rules/dates.ts';
import { createGroups, isEvenRow, MAX_GROUPS, readGroups, sizeOf } from '../rules/digit-groups.ts';
import { emailAt } from '../rules/emails.ts';
import { colonAddress, ipv4At, macAt, plainMacAt, spacedIpAt } from '../rules/network-addresses.ts';
import { phoneAt } from '../rules/phones.ts';
import { spacedDigitsAt } from '../rules/spaced-digits.ts';

/** Phones with an unambiguous form: `+`, brackets, or North American with valid area and exchange. */
const DISTINCTIVE_PHONE = /^\s*(?:\+|\(\d|(?:1[-. ])?[2-9]\d{2}[-.][2-9]\d{2}[-.]\d{4}\b)/;
const DIGIT = 1;
const COLON = 3;
/** The kind of value that a character can begin. */
const CLASSES = new Uint8Array(128);
CLASSES.fill(DIGIT, 48, 58);
CLASSES[64] = 2;
CLASSES[58] = COLON;

/** The fewest digits of a number that the rules find. */
const MIN_DIGITS = 6;
const MAX_DIGITS = 20;
/** The hexadecimal digits of a MAC address. */
const MAC_CHARS = 12;
const SPACE = 32;
const HYPHEN = 45;
const POINT = 46;
const groups = createGroups();

/** The place of a text: by itself, or as the value of a key without a hint. */
export type Place = 'text' | 'value';
let whole: Place = 'text';
/** The index of the first finding of the current text. */
let firstOwn = 0;

/**
 * Finds values with digits, `@` or colons in one pass over a normalised text. `hint` is the type that the key indicates; words
 * in the text override it. Each candidate reads a limited number of characters around it.
 */
export function* plainSteps(text: string, hint: Hint | undefined, found: Span[], place: Place = 'text'): Steps {
  const own = found.length;
  whole = place;
  firstOwn = own;
  beginText();
  for (let at = scanPart(text, 0, hint, found); at < text.length; at = scanPart(text, at, hint, found)) {
    const memory = pauseText();
    yield;
    // Another text may have been scanned meanwhile.
    continueText(memory);
    whole = place;
    firstOwn = own;
  }
}

/** Scans the characters until the next pause. Returns the position to continue at. */
function scanPart(text: string, from: number, hint: Hint | undefined, found: Span[]): number {
  const end = Math.min(text.length, from + PART_CHARACTERS);
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? CLASSES[code] : 0;
    if (kind === 0) at++;
    else at = Math.max(at + 1, scanAt(kind ?? 0, text, at, hint, found));
  }
  return at;
}

function scanAt(kind: number, text: string, at: number, hint: Hint | undefined, found: Span[]): number {
  if (kind === DIGIT) return scanDigits(text, at, hint, found);
  if (kind === COLON) return scanColon(text, at, hint, found);
  const email = emailAt(text, at);
  return email ? take(email, found) : at + 1;
}

function scanColon(text: string, at: number, hint: Hint | undefined, found: Span[]): number {
  if (
    !isHexOrColon(text.charCodeAt(at + 1)) ||
    !(at === 0 || isHexOrColon(text.charCodeAt(at - 1)) || text[at + 1] === ':')
  ) {
    return at + 1;
  }
  const { span, end } = colonAddress(text, at, remember(text, at, hint));
  // A number may begin after the only colon of a label.
  if (!span) return hasColon(text, at + 1, end) ? end : at + 1;
  // An IPv6 address may end in IPv4 form, or begin with digits that another rule has found.
  while (found.length > firstOwn && (found.at(-1)?.end ?? 0) > span.start) found.pop();
  found.push(span);
  return end;
}

/** Checks whether the letter after a number may belong to it: the `x` of an extension, or `_` before more digits. */
function goesOn(text: string, end: number): boolean {
  return text[end] === 'x' || (text[end] === '_' && isDigit(text.charCodeAt(end + 1)));
}

function hasColon(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 58) return true;
  return false;
}

/** Reads the number that begins at a digit, and returns the position to continue at. */
function scanDigits(text: string, at: number, hint: Hint | undefined, found: Span[]): number {
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  const before = at === 0 ? 32 : text.charCodeAt(at - 1);
  if (isMacNear(text, at, end)) {
    const mac = macAt(text, at);
    if (mac) return take(mac, found);
  }
  if (before === 58 && end - at === 2 && isAfterHours(text, at)) return end;
  if (isWord(before)) return plainMac(text, at, hint, found) ?? afterLetters(text, at, end, hint, found);
  if (end - at <= 3 && (text[end] === ' ' || text[end] === '(')) {
    const spaced = spacedIpAt(text, at);
    if (spaced) return take(spaced, found);
  }
  if (end - at <= 2) {
    const short = birthdayAt(text, at, hint) ?? spacedMac(text, at, end, hint);
    if (short) return take(short, found);
  }
  if (isWord(text.charCodeAt(end)) && !goesOn(text, end)) return plainMac(text, at, hint, found) ?? skipWord(text, end);
  readGroups(text, at, groups);
  const digits = digitsWithin(groups.count);
  if (digits < MIN_DIGITS - 2) return end;
  if (end === at + 1 && groups.count > 6 && sizeOf(groups, 1) === 1 && sizeOf(groups, 2) === 1) {
    const spaced = spacedDigitsAt(text, at, remember(text, at, hint));
    if (spaced.span) found.push(spaced.span);
    return spaced.end;
  }
  if (text[at - 1] !== '+' && isEvenRow(groups)) return groups.starts[MAX_GROUPS / 2] ?? end;
  const near = remember(text, at, hint);
  // A row of short figures is not a number, but a number can begin at each of them.
  const row = groups.count >= 4 && digitsWithin(4) < MIN_DIGITS;
  const address = text[end] === '.' ? ipv4At(text, at, near) : undefined;
  if (address) {
    if (address.span) found.push(address.span);
    return address.end;
  }
  const span = number(text, at, near, row);
  if (span) return take(span, found);
  const day = end - at <= 4 ? dateAt(text, at, near) : undefined;
  if (day) {
    if (day.span) found.push(day.span);
    return Math.max(day.end, end);
  }
  if (row || digits < MIN_DIGITS || end - at > MAX_DIGITS) return end;
  const alone = at < 3 && (groups.ends[groups.count - 1] ?? 0) >= text.length - 1;
  // Under a key without a hint, only unambiguous forms count.
  if (alone && whole === 'value' && !DISTINCTIVE_PHONE.test(text) && near() === undefined) return end;
  const phone = phoneAt(text, groups, near, alone && whole === 'text');
  return phone ? take(phone, found) : end;
}

/** Checks for hours or minutes before a colon: no number begins with the minutes or seconds of a time, or of its offset from UTC. */
function isAfterHours(text: string, at: number): boolean {
  const [before, last] = [text.charCodeAt(at - 3), text.charCodeAt(at - 2)];
  return isDigit(last) && (isDigit(before) || !isWord(before));
}

/** Checks for a group of a MAC address: two hexadecimal digits next to a hyphen, or four next to a point. */
function isMacNear(text: string, at: number, digitsEnd: number): boolean {
  let start = at;
  let end = digitsEnd;
  while (end - start <= 4 && isHex(text.charCodeAt(end))) end++;
  while (end - start <= 4 && isHex(text.charCodeAt(start - 1))) start--;
  const size = end - start;
  const sign = size === 2 ? HYPHEN : size === 4 ? POINT : 0;
  return sign !== 0 && (text.charCodeAt(end) === sign || text.charCodeAt(start - 1) === sign);
}

/** Reads a word of twelve hexadecimal digits near "MAC". Returns its end, or undefined for another word. */
function plainMac(text: string, at: number, hint: Hint | undefined, found: Span[]): number | undefined {
  // Most words with digits are longer, such as a hash.
  if (isHex(text.charCodeAt(at + MAC_CHARS))) return undefined;
  let start = at;
  while (at - start <= MAC_CHARS && isHex(text.charCodeAt(start - 1))) start--;
  let end = at;
  while (end - start <= MAC_CHARS && isHex(text.charCodeAt(end))) end++;
  const before = text.charCodeAt(start - 1);
  if (end - start !== MAC_CHARS || isWord(before) || before === HYPHEN) return undefined;
  const mac = plainMacAt(text, start, remember(text, start, hint));
  return mac && take(mac, found);
}

/** Returns a MAC address with spaces, "00 1A 2B 3C 4D 5E", which has a letter in its first or second group. */
function spacedMac(text: string, at: number, end: number, hint: Hint | undefined): Span | undefined {
  const isFirst = end - at === 2 && text.charCodeAt(end) === SPACE && isHex(text.charCodeAt(end + 1));
  return isFirst && isHex(text.charCodeAt(end + 2)) ? plainMacAt(text, at, remember(text, at, hint)) : undefined;
}

function digitsWithin(count: number): number {
  let digits = 0;
  for (let index = 0; index < count && index < groups.count; index++) digits += sizeOf(groups, index);
  return digits;
}

/** Returns a function that looks up the hint before a position on its first call. */
function remember(text: string, at: number, hint: Hint | undefined): () => Hint | undefined {
  let known: Hint | null | undefined = null;
  return () => {
    if (known === null) known = hintBefore(text, at, hint);
    return known;
  };
}

function number(text: string, at: number, near: () => Hint | undefined, row: boolean): Span | undefined {
  if (row || !opensAt(text, at)) return undefined;
  return cardAt(text, groups, near) ?? ssnAt(text, groups, near);
}

/** Reads digits after letters: two letters may be the country of an IBAN; other words with digits are identifiers. */
function afterLetters(text: string, at: number, end: number, hint: Hint | undefined, found: Span[]): number {
  const start = at - 2;
  const country = start >= 0 && isLetter(text.charCodeAt(start)) && isLetter(text.charCodeAt(start + 1));
  if (country && end - at >= 1 && (start === 0 || !isWord(text.charCodeAt(start - 1)))) {
    const iban = ibanAt(text, start, remember(text, start, hint));
    if (iban) return take(iban, found);
  }
  return skipWord(text, end);
}

function take(span: Span, found: Span[]): number {
  found.push(span);
  return span.end;
}

function skipWord(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWord(text.charCodeAt(end))) end++;
  return end;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isHex(code: number): boolean {
  return isHexOrColon(code) && code !== 58;
}

function isHexOrColon(code: number): boolean {
  return (code >= 48 && code <= 58) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}
