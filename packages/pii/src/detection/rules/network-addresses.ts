import { isIP } from 'node:net';
import type { Span } from '../detector.ts';
import type { Hint } from '../hints/words.ts';
import { closesAt, isWord } from './boundaries.ts';
import { isReserved, isReservedIpv4 } from './reserved-addresses.ts';

const QUAD = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?!\w|\.\d|-\w)/y;
const SPACED_POINT = '(?: \\. | dot | ?\\(dot\\) ?)';
const SPACED_QUAD = new RegExp(
  `(\\d{1,3})${SPACED_POINT}(\\d{1,3})${SPACED_POINT}(\\d{1,3})${SPACED_POINT}(\\d{1,3})(?!\\w|\\.\\d| dot )`,
  'iy',
);
const MAC = /^(?:[0-9a-f]{2}:){5}(?:[0-9a-f]{2}:[0-9a-f]{2}:)?[0-9a-f]{2}$/i;
/** `00-1a-2b-3c-4d-5e`, `001a.2b3c.4d5e`, and `00 1a 2b 3c 4d 5e` near a word. */
const HYPHENATED_MAC = /[0-9a-f]{2}(?:-[0-9a-f]{2}){5}(?:-[0-9a-f]{2}-[0-9a-f]{2})?(?![\w-])/iy;
const DOTTED_MAC = /(?=[0-9a-f.]{0,13}[a-f])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.-])/iy;
const PLAIN_MAC = /(?:[0-9a-f]{12}|[0-9a-f]{2}(?: [0-9a-f]{2}){5})(?![\w-])/iy;
const MAX_MAC_CHARS = 17;
const MAX_COLON_CHARS = 45;
/** Versions and sections have small numbers only; network addresses rarely do. */
const SMALL = 30;
const SMALL_FOR_VERSION = 32;
/** Words before versions, object identifiers and section numbers. */
const VERSION_BEFORE =
  /(?:\b(?:v(?:ersions?|\d*)|versionadded|versionchanged|releases?d?|upgrad\w*|updat\w+|patch\w*|bump\w*|kernel|linux|chrom\w+|firmware|builds?|oid|objectidentifier|section|sections|chapter|since|rfc|std|c\+\+\d*)\b[^\n]{0,28}|§\s?)$/i;
const VERSION_CHARS = 48;
/** The previous number in a row of decimals: an outline or a table. */
const DECIMAL_BEFORE = /(?:^|[\s,;a-z-])-?\d{0,6}\.\d{1,6}[ ,]-?$/i;
const NETWORK = /\/(\d{1,2})(?![\d.])/y;

/**
 * Returns the IPv4 address at a position, or only the end of four numbers with points that are not an address. Private and
 * reserved addresses are not personal data.
 */
export function ipv4At(
  text: string,
  start: number,
  near: () => Hint | undefined,
): { span?: Span; end: number } | undefined {
  if (!opensAddress(text, start)) return undefined;
  QUAD.lastIndex = start;
  const match = QUAD.exec(text);
  if (!match) return undefined;
  const end = QUAD.lastIndex;
  const span = addressOf(text, start, match, near);
  if (span) return { span, end };
  return near() === 'PHONE' ? undefined : { end };
}

function addressOf(
  text: string,
  start: number,
  match: RegExpExecArray,
  near: () => Hint | undefined,
): Span | undefined {
  if (/(?:^|\.)0\d/.test(match[0])) return undefined;
  const octets = match.slice(1, 5).map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  const [first = 0, second = 0] = octets;
  if (isReservedIpv4(octets) || isNetwork(text, start + match[0].length, octets)) return undefined;
  const end = start + match[0].length;
  const hint = near();
  const labelled = hint === 'IP';
  const small = octets.every((octet) => octet < SMALL);
  if (hint === 'OTHER' && (small || octets.every((octet) => octet < 100))) return undefined;
  if (small && !labelled) return undefined;
  if (!labelled && isVersion(text, start, first, second)) return undefined;
  return { start, end, type: 'IP', evidence: labelled ? 'shape+context' : 'shape' };
}

/** Returns an IPv4 address with spaced or spelled points: "87 . 12 . 45 . 86", "87 dot 12 dot 45 dot 86". */
export function spacedIpAt(text: string, start: number): Span | undefined {
  SPACED_QUAD.lastIndex = start;
  const match = SPACED_QUAD.exec(text);
  if (!match || !opensAddress(text, start)) return undefined;
  const octets = match.slice(1, 5).map(Number);
  if (octets.some((octet) => octet > 255) || octets.every((octet) => octet < SMALL) || isReservedIpv4(octets)) {
    return undefined;
  }
  return { start, end: SPACED_QUAD.lastIndex, type: 'IP', evidence: 'shape' };
}

/** Checks for a network, `10.0.0.0/8`, which is not personal data. */
function isNetwork(text: string, end: number, octets: readonly number[]): boolean {
  const [, , third = 0, fourth = 0] = octets;
  if ((third | fourth) === 0) return true;
  NETWORK.lastIndex = end;
  const bits = Number(NETWORK.exec(text)?.[1] ?? 32);
  const number = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return bits < 32 && number % 2 ** (32 - bits) === 0;
}

/** Checks for a version or object identifier by the words before it, or a row of decimals. */
function isVersion(text: string, start: number, first: number, second: number): boolean {
  if (text[start - 1] === '-' && isWord(text.charCodeAt(start - 2))) return true;
  if (/[=~<>!]=$|[\^~]$/.test(text.slice(Math.max(0, start - 2), start))) return true;
  if (first < 3 && second < 6) return true;
  const before = text.slice(Math.max(0, start - VERSION_CHARS), start);
  if (DECIMAL_BEFORE.test(before)) return true;
  return first < SMALL_FOR_VERSION && second < SMALL_FOR_VERSION && VERSION_BEFORE.test(before);
}

/** Returns the IPv6 or MAC address around a colon. `end` is always the end of the read part, so that no part is read twice. */
export function colonAddress(text: string, colon: number, near: () => Hint | undefined): { span?: Span; end: number } {
  let start = colon;
  while (start > 0 && colon - start < MAX_COLON_CHARS && isAddress(text.charCodeAt(start - 1))) start--;
  let end = colon;
  while (end < text.length && end - colon < MAX_COLON_CHARS && isAddress(text.charCodeAt(end))) end++;
  const read = end;
  while (end > colon && (text[end - 1] === '.' || (text[end - 1] === ':' && text[end - 2] !== ':'))) end--;
  if (start > 0 && (isWord(text.charCodeAt(start - 1)) || text[start - 1] === '-')) return { end: read };
  if (!closesAt(text, end)) return { end: read };
  let address = text.slice(start, end);
  const port = address.lastIndexOf(':');
  if (address.length <= MAX_COLON_CHARS && isIP(address) === 0 && isIP(address.slice(0, port)) === 6) {
    address = address.slice(0, port);
    end = start + port;
  }
  if (MAC.test(address)) return { span: { start, end, type: 'MAC', evidence: 'proved' }, end: read };
  if (end - start > MAX_COLON_CHARS || isIP(address) !== 6 || !isDistinctive(address, near) || isReserved(address)) {
    return { end: read };
  }
  return { span: { start, end, type: 'IP', evidence: 'proved' }, end: read };
}

/** Returns the MAC address around the first digit in it: with hyphens, points, or near a word without separators. */
export function macAt(text: string, digit: number): Span | undefined {
  let start = digit;
  while (digit - start < MAX_MAC_CHARS && isMacCharacter(text.charCodeAt(start - 1))) start--;
  while (start < digit && !isWord(text.charCodeAt(start))) start++;
  if (isWord(text.charCodeAt(start - 1))) return undefined;
  for (const pattern of [HYPHENATED_MAC, DOTTED_MAC]) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return { start, end: pattern.lastIndex, type: 'MAC', evidence: 'proved' };
  }
  return undefined;
}

/** Returns the MAC address without separators, or with spaces, at a position near a word for it. */
export function plainMacAt(text: string, start: number, near: () => Hint | undefined): Span | undefined {
  PLAIN_MAC.lastIndex = start;
  if (!PLAIN_MAC.test(text) || near() !== 'MAC') return undefined;
  return { start, end: PLAIN_MAC.lastIndex, type: 'MAC', evidence: 'shape+context' };
}

/** Checks whether an IPv6 address is distinctive: `::1`, `a::b` and `1::2` are usually loopback, scopes and slices. */
function isDistinctive(address: string, near: () => Hint | undefined): boolean {
  if (/^[0:]*(?:1|(?:ffff:)?(?:0:)?127\.\d+\.\d+\.\d+)?$/i.test(address)) return false;
  const groups = address.split(':').filter((group) => group !== '');
  if (groups.length < 2) return false;
  return (
    groups.length >= 3 ||
    (groups.at(-1) ?? '').includes('.') ||
    (groups.length === 2 && /^(?:2\d{3}|fe80|fd\w\w|fc\w\w)$/i.test(groups[0] ?? '')) ||
    near() === 'IP'
  );
}

function opensAddress(text: string, start: number): boolean {
  if (start === 0) return true;
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || before === 46) return false;
  return !(before === 47 && text[start - 2] !== '/');
}

/** Checks for a hexadecimal digit, hyphen or point. */
function isMacCharacter(code: number): boolean {
  return (isAddress(code) && code !== 58) || code === 45;
}

function isAddress(code: number): boolean {
  return (code >= 48 && code <= 58) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70) || code === 46;
}
