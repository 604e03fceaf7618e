import type { Span } from '../detector.ts';
import { isWord } from './boundaries.ts';
import { COMMON_TOP_LEVEL, obfuscatedDomainEnd } from './obfuscated-emails.ts';

const MAX_LOCAL_CHARS = 64;
const MAX_DOMAIN_CHARS = 255;
const MAX_USER_INFO_CHARS = 64;
const ID_CHARS = 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII
const TOP_LEVEL = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{1,59}|[^\x00-\x7f]{1,24})$/i;
/** File extensions and properties in code that are not top-level domains. */
const NOT_TOP_LEVEL =
  /^(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|avif|pdf|js|mjs|cjs|jsx|ts|tsx|css|scss|less|html?|json|xml|ya?ml|toml|txt|csv|lock|log|exe|dll|zip|gz|tgz|tar|map|vue|svelte|woff2?|ttf|wasm|service|socket|timer|target|mount|setter|getter|deleter|shape|prototype|length)$/i;

/** Returns the address around an `@`, or undefined. */
export function emailAt(text: string, at: number): Span | undefined {
  const spaced = text[at - 1] === ' ' && text[at + 1] === ' ';
  const localEnd = spaced ? at - 1 : at;
  let start = localEnd;
  while (start > 0 && localEnd - start < MAX_LOCAL_CHARS && isLocal(text.charCodeAt(start - 1))) start--;
  // An address does not begin inside of a longer word.
  if (start > 0 && localEnd - start >= MAX_LOCAL_CHARS && isLocal(text.charCodeAt(start - 1))) return undefined;
  while (start < localEnd && !isWord(text.charCodeAt(start))) start++;
  if (start === localEnd || !isLocalEnd(text.charCodeAt(localEnd - 1))) return undefined;
  const from = spaced ? at + 2 : at + 1;
  const end = domainEnd(text, from) ?? obfuscatedDomainEnd(text, from);
  if (end === undefined) return undefined;
  const top = text.slice(dotBefore(text, end, from) + 1, end);
  if (NOT_TOP_LEVEL.test(top) || (spaced && !COMMON_TOP_LEVEL.test(top))) return undefined;
  if (text.startsWith('openssh.com', from) || text[end] === '(' || /^\dx\./.test(text.slice(from, from + 3)))
    return undefined;
  if (isUserInfo(text, start) || isRepository(text, start, localEnd) || isIdentifier(text, start, localEnd, end)) {
    return undefined;
  }
  return { start, end, type: 'EMAIL', evidence: 'proved' };
}

/** Returns the end of the domain: labels with points between, the last one a top-level domain. */
function domainEnd(text: string, from: number): number | undefined {
  let end = from;
  while (end < text.length && end - from < MAX_DOMAIN_CHARS && isDomain(text.charCodeAt(end))) end++;
  for (let tries = 0; tries < 8 && end > from; tries++) {
    while (end > from && !isWord(text.charCodeAt(end - 1))) end--;
    const dot = dotBefore(text, end, from);
    if (dot <= from) return undefined;
    if (TOP_LEVEL.test(text.slice(dot + 1, end)) && isWord(text.charCodeAt(dot - 1))) return end;
    end = dot;
  }
  return undefined;
}

/** Returns the last point before a position, or `from`. `lastIndexOf` would read to the beginning of the text. */
function dotBefore(text: string, end: number, from: number): number {
  let at = end - 1;
  while (at > from && text.charCodeAt(at) !== 46) at--;
  return at;
}

/** Checks for `user:password@host` of a URL, which is a connection string. */
function isUserInfo(text: string, start: number): boolean {
  return /:\/\/[^\s/@"'<>]*$/.test(text.slice(Math.max(0, start - MAX_USER_INFO_CHARS), start));
}

/** Checks for `git@host:owner/repository`. */
function isRepository(text: string, start: number, at: number): boolean {
  return at - start === 3 && text.startsWith('git', start);
}

/** Checks for message ids of mail headers, `UID:…@host` of calendars, and hashes. */
function isIdentifier(text: string, start: number, at: number, end: number): boolean {
  const local = text.slice(start, at);
  if (!isMachineMade(local)) return false;
  if (/^[0-9a-f-]{20,}$/i.test(local)) return true;
  const before = text.slice(Math.max(0, start - ID_CHARS), start);
  if (/(?:id|references|in-reply-to)["']?\s{0,2}[:=]\s{0,2}["'<]{0,2}$/i.test(before)) return true;
  return before.endsWith('<') && text[end] === '>' && !/[\p{L}"] ?<$/u.test(before);
}

/** Checks whether the part before the `@` looks like a generated identifier. */
export function isMachineMade(local: string): boolean {
  return local.length >= 16 && (local.match(/\d/g)?.length ?? 0) >= 4 && !/^[a-z]+[._-][a-z]+\d*$/i.test(local);
}

function isLocal(code: number): boolean {
  return isWord(code) || code === 46 || code === 43 || code === 45 || code === 39 || code === 38 || code === 126;
}

/** Checks the last character before the `@`: of a word, or the hyphen or plus of some addresses. */
function isLocalEnd(code: number): boolean {
  return isWord(code) || code === 43 || code === 45;
}

function isDomain(code: number): boolean {
  return (isWord(code) && code !== 95) || code === 46 || code === 45;
}
