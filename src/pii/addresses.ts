import { isIP } from 'node:net';
import { closesAt, isWord } from './boundaries.ts';
import type { Span } from './detector.ts';
import type { Hint } from './words.ts';

const QUAD = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?!\w|\.\d|-\w)/y;
const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
const HYPHENATED_MAC = /[0-9a-f]{2}(?:-[0-9a-f]{2}){5}(?![\w-])/iy;
const MAX_COLON_CHARS = 45;
/** A version or a section has small numbers only; a network address almost never has. */
const SMALL = 20;

/** An IPv4 address that starts at a position. This machine's own addresses and masks are nobody's. */
export function ipv4At(text: string, start: number, near: () => Hint | undefined): Span | undefined {
  QUAD.lastIndex = start;
  const match = QUAD.exec(text);
  if (!match || !opensAddress(text, start) || isIP(match[0]) !== 4) return undefined;
  const octets = match.slice(1, 5).map(Number);
  const [first = 0, second = 0, third = 0, fourth = 0] = octets;
  if (first === 127 || first === 255 || (first | second | third | fourth) === 0) return undefined;
  const hint = near();
  const labelled = hint === 'IP';
  const small = octets.every((octet) => octet < SMALL);
  if (hint === 'OTHER' && (small || octets.every((octet) => octet < 100))) return undefined;
  if (small && !labelled && !(first === 10 && second === 0)) return undefined;
  return { start, end: QUAD.lastIndex, type: 'IP', evidence: labelled ? 'shape+context' : 'shape' };
}

/** The IPv6 or MAC address around a colon; `end` of what was read either way, so that nothing is read twice. */
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
  if (end - start > MAX_COLON_CHARS || isIP(address) !== 6 || !isTelling(address, near)) return { end: read };
  return { span: { start, end, type: 'IP', evidence: 'proved' }, end: read };
}

/** A MAC address with hyphens that starts at a position. */
export function macAt(text: string, start: number): Span | undefined {
  HYPHENATED_MAC.lastIndex = start;
  if (!HYPHENATED_MAC.test(text)) return undefined;
  return { start, end: HYPHENATED_MAC.lastIndex, type: 'MAC', evidence: 'proved' };
}

/** `::1`, `a::b` and `1::2` are slices, scopes and this machine more often than somebody's address. */
function isTelling(address: string, near: () => Hint | undefined): boolean {
  if (address === '::1' || address === '::') return false;
  const groups = address.split(':').filter((group) => group !== '');
  if (groups.length < 2) return false;
  return (
    groups.length >= 3 ||
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

function isAddress(code: number): boolean {
  return (code >= 48 && code <= 58) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70) || code === 46;
}
