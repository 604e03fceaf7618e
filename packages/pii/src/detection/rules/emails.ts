import type { Span } from '../detector.ts';
import { isWord } from './boundaries.ts';
import { COMMON_TOP_LEVEL, obfuscatedDomainEnd } from './obfuscated-emails.ts';

const MAX_LOCAL_CHARS = 64;
const MAX_DOMAIN_CHARS = 255;
const MAX_USER_INFO_CHARS = 64;
const ID_CHARS = 20;
const MAX_PATH_CHARS = 200;
const REPOSITORY_PATH = /^:[\w./~-]{1,190}\.git(?![\w.-])/;
const NEWLINE = 10;
const RETURN = 13;
const MAX_LINE_CHARS = 100;
/** The fewest characters of a line that was wrapped. */
const WRAPPED_CHARS = 60;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII
const TOP_LEVEL = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{1,59}|[^\x00-\x7f]{1,24})$/i;
/** File extensions and properties in code that are not top-level domains. */
const NOT_TOP_LEVEL =
  /^(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|avif|pdf|js|mjs|cjs|jsx|ts|tsx|css|scss|less|html?|json|xml|ya?ml|toml|txt|csv|lock|log|exe|dll|zip|gz|tgz|tar|map|vue|svelte|woff2?|ttf|wasm|service|socket|timer|target|mount|setter|getter|deleter|shape|prototype|length)$/i;

/** Names that RFC 2606 and RFC 6761 reserve for documentation and tests. */
const RESERVED_NAME = /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|invalid|test|localhost)$/i;
const EXAMPLE_LOCAL =
  /^(?:(?:your|my|some|test|example)?[._-]?(?:user|name|email|mail|username|address)\d?|you|me|someone|somebody|foo|bar|baz|test|example|admin|info|support|hello|contact|sales|team|root|webmaster|postmaster|no-?reply|first(?:name)?[._]last(?:name)?|user[._]name)$/i;

/** Returns the address around an `@`, or undefined. */
export function emailAt(text: string, at: number): Span | undefined {
  const spaced = text[at - 1] === ' ' && text[at + 1] === ' ';
  const broken = spaced ? 0 : lineBreakBefore(text, at);
  const localEnd = spaced ? at - 1 : at - broken;
  let start = localEnd;
  // Chinese, Japanese and Korean have no spaces before an address in Latin letters.
  const isLocal = isWideLetter(text.charCodeAt(localEnd - 1)) ? isWideLocal : isNarrowLocal;
  while (start > 0 && localEnd - start < MAX_LOCAL_CHARS && isLocal(text.charCodeAt(start - 1))) start--;
  // An address does not begin inside of a longer word.
  if (start > 0 && localEnd - start >= MAX_LOCAL_CHARS && isLocal(text.charCodeAt(start - 1))) return undefined;
  while (start < localEnd && !isAnyWord(text.charCodeAt(start))) start++;
  if (start === localEnd || !isLocalEnd(text.charCodeAt(localEnd - 1))) return undefined;
  const from = spaced ? at + 2 : at + 1;
  const end = domainEnd(text, from) ?? obfuscatedDomainEnd(text, from);
  if (end === undefined) return undefined;
  const top = text.slice(dotBefore(text, end, from) + 1, end);
  if (NOT_TOP_LEVEL.test(top) || ((spaced || broken > 0) && !COMMON_TOP_LEVEL.test(top))) {
    return undefined;
  }
  if (broken > 0 && !isWrapped(text, start, localEnd)) return undefined;
  if (text.startsWith('openssh.com', from) || text[end] === '(' || /^\dx\./.test(text.slice(from, from + 3)))
    return undefined;
  if (isExample(text.slice(start, localEnd), text.slice(from, end))) return undefined;
  if (isExtension(text, start, localEnd)) return undefined;
  if (isUserInfo(text, start) || isRepository(text, start, localEnd, end) || isIdentifier(text, start, localEnd, end)) {
    return undefined;
  }
  return { start, end, type: 'EMAIL', evidence: 'proved' };
}

/** Returns the length of the line break before a position, or 0. */
function lineBreakBefore(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== NEWLINE) return 0;
  return text.charCodeAt(at - 2) === RETURN ? 2 : 1;
}

/** Checks whether the end of a line can be the first part of an address: a long line, a label before it, or its form. */
function isWrapped(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - MAX_LINE_CHARS);
  const line = from + text.slice(from, start).lastIndexOf('\n') + 1;
  const before = text.slice(Math.max(line, start - MAX_USER_INFO_CHARS), start);
  return /[\d._+-]/.test(text.slice(start, end)) || end - line >= WRAPPED_CHARS || /(?:^|[:<"'(=][ \t]?)$/.test(before);
}

/** Returns the end of the domain: labels with points between, the last one a top-level domain. */
function domainEnd(text: string, from: number): number | undefined {
  let end = from;
  const isDomain = isWideLetter(text.charCodeAt(from)) ? isWideDomain : isNarrowDomain;
  while (end < text.length && end - from < MAX_DOMAIN_CHARS && isDomain(text.charCodeAt(end))) end++;
  for (let tries = 0; tries < 8 && end > from; tries++) {
    while (end > from && !isAnyWord(text.charCodeAt(end - 1))) end--;
    const dot = dotBefore(text, end, from);
    if (dot <= from) return undefined;
    if (TOP_LEVEL.test(text.slice(dot + 1, end)) && isAnyWord(text.charCodeAt(dot - 1))) return end;
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

/** Checks for an address of documentation: a word such as "user" at a reserved name. */
function isExample(local: string, domain: string): boolean {
  return RESERVED_NAME.test(domain) && EXAMPLE_LOCAL.test(local);
}

/** Schemes of resources, whose host may be an address: `doc://ada@x.org`. Other schemes log in with the user. */
const OWN_SCHEME =
  /(?<![\w+.-])(?:doc|docs|note|notes|mail|mailbox|inbox|user|users|contact|contacts|customer|calendar|profile|file|files|resource|memo|people|person|crm)s?:\/\/$/i;

/** Checks for `user:password@host` of a URL, which is a connection string. */
function isUserInfo(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - MAX_USER_INFO_CHARS), start);
  return !OWN_SCHEME.test(before) && /:\/\/[^\s/@"'<>]*$/.test(before);
}

/** Checks for the extension of a telephone system: `sip:7704@pbx.internal`. */
function isExtension(text: string, start: number, at: number): boolean {
  return /sips?:$/i.test(text.slice(Math.max(0, start - 5), start)) && /^\d{2,6}$/.test(text.slice(start, at));
}

/** Checks for `git@host:owner/repository`, and `user@host:owner/repository.git` of other users. */
function isRepository(text: string, start: number, at: number, end: number): boolean {
  if (at - start === 3 && text.startsWith('git', start)) return true;
  return text[end] === ':' && REPOSITORY_PATH.test(text.slice(end, end + MAX_PATH_CHARS));
}

/** A header whose value is an id also if it is short. */
const NAMED_ID = /(?:message-?id|references|in-reply-to|\buid)["']?\s{0,2}[:=]\s{0,2}["'<]{0,2}$/i;

/** Checks for message ids of mail headers, `UID:…@host` of calendars, and hashes. */
function isIdentifier(text: string, start: number, at: number, end: number): boolean {
  const local = text.slice(start, at);
  const before = text.slice(Math.max(0, start - ID_CHARS), start);
  if (/^\d[\w.-]*\d$/.test(local) && NAMED_ID.test(before)) return true;
  if (!isMachineMade(local)) return false;
  if (/^[0-9a-f-]{20,}$/i.test(local)) return true;
  if (/(?:id|references|in-reply-to)["']?\s{0,2}[:=]\s{0,2}["'<]{0,2}$/i.test(before)) return true;
  return before.endsWith('<') && text[end] === '>' && !/[\p{L}"] ?<$/u.test(before);
}

/** Checks whether the part before the `@` looks like a generated identifier. */
export function isMachineMade(local: string): boolean {
  return local.length >= 16 && (local.match(/\d/g)?.length ?? 0) >= 4 && !/^[a-z]+[._-][a-z]+\d*$/i.test(local);
}

function isNarrowLocal(code: number): boolean {
  return isWord(code) || code === 46 || code === 43 || code === 45 || code === 39 || code === 38 || code === 126;
}

/** Checks for a letter of Chinese, Japanese or Korean. Other letters are those of `isWord`. */
function isWideLetter(code: number): boolean {
  return (code >= 0x3041 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
}

function isAnyWord(code: number): boolean {
  return isWord(code) || isWideLetter(code);
}

function isWideLocal(code: number): boolean {
  return isNarrowLocal(code) || isWideLetter(code);
}

function isWideDomain(code: number): boolean {
  return isNarrowDomain(code) || isWideLetter(code);
}

/** Checks the last character before the `@`: of a word, or the hyphen or plus of some addresses. */
function isLocalEnd(code: number): boolean {
  return isAnyWord(code) || code === 43 || code === 45;
}

function isNarrowDomain(code: number): boolean {
  return (isWord(code) && code !== 95) || code === 46 || code === 45;
}
