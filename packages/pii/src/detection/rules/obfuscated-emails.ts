import type { Span } from '../detector.ts';
import { isNoAddress } from '../speech/languages.ts';
import { isWord } from './boundaries.ts';

/** Top-level domains that count for weak forms: words for signs, or spaces around an `@`. */
export const COMMON_TOP_LEVEL: RegExp =
  /^(?:com|net|org|edu|gov|mil|int|io|ai|co|us|uk|de|fr|es|it|nl|eu|ch|at|be|se|no|dk|fi|pl|cz|pt|ie|ru|jp|cn|in|au|nz|ca|br|mx|ar|za|kr|info|biz|dev|app|me|tv|xyz|test|example|cloud|online)$/i;
const OPEN = '[ \\t]{0,2}[[({<][ \\t]?';
const CLOSE = '[ \\t]?[\\])}>][ \\t]{0,2}';
const DOT_WORD = '(?:dot|punkt|punto|point|ponto|punt)';
const DOT = `(?:${OPEN}(?:${DOT_WORD}|\\.|d)${CLOSE}|[ \\t]${DOT_WORD}[ \\t]|[_-]dot[_-])`;
const AT = `(?:${OPEN}(?:at|@|arroba|ät|a|chez|chiocciola)${CLOSE}|[ \\t](?:at|arroba)[ \\t]|[_-]at[_-]|[ \\t]?@[ \\t]?)`;
/** Words for other signs before the `@`. */
const SIGN = '[ \\t](?:underscore|dash|hyphen|minus|plus)[ \\t]';
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const SPELLED = new RegExp(
  `([\\w+-](?:[\\w.+-]|${DOT}|${SIGN}){0,62}?)${AT}(${LABEL}(?:(?:${DOT}|\\.)${LABEL}){1,4})(?![\\w-])`,
  'iy',
);
const DOMAIN = new RegExp(`${LABEL}(?:(?:${DOT}|\\.)${LABEL}){1,4}(?![\\w-])`, 'iy');
const SAYS_AT = new RegExp(AT, 'iy');
const SAYS_DOT = new RegExp(DOT, 'iy');
/** The domain of a sentence: words before "point", or a preposition behind it. */
const SENTENCE =
  /^(?:the|an?|this|that|some|any|one|our|your|my|no|what|which|each|every|its|their)[ \t]|[ \t]point[ \t](?:it|in|at|be|no|me|us)$/i;
const WINDOW_CHARS = 100;
const MAX_WORDS = 6;

/** Checks whether a replacement of `@` starts at a position. */
export function isAtWord(text: string, start: number): boolean {
  SAYS_AT.lastIndex = start;
  return SAYS_AT.test(text);
}

/** Checks whether a replacement of a point starts at a position. */
export function isDotWord(text: string, start: number): boolean {
  SAYS_DOT.lastIndex = start;
  return SAYS_DOT.test(text);
}

/**
 * Returns the longest obfuscated address, "jane [at] example [dot] org", around the position of one of its signs. It begins
 * with one of the words before the sign, and not before `from`.
 */
export function obfuscatedEmailAt(text: string, sign: number, from: number): Span | undefined {
  let found: Span | undefined;
  const least = Math.max(from, sign - WINDOW_CHARS);
  for (let start = sign - 1, words = 0; start >= least && words < MAX_WORDS; start--) {
    const code = text.charCodeAt(start);
    if (code === 10 || code === 13) break;
    if (!isWord(code) || (start > 0 && isLocalCharacter(text.charCodeAt(start - 1)))) continue;
    words++;
    SPELLED.lastIndex = start;
    const match = SPELLED.exec(text);
    if (!match || SPELLED.lastIndex <= sign) continue;
    if (isCommon(match[2] ?? '') && !isSentence(match))
      found = { start, end: SPELLED.lastIndex, type: 'EMAIL', evidence: 'shape' };
  }
  return found;
}

/** Returns the end of the domain with words for its points at a position, or undefined. */
export function obfuscatedDomainEnd(text: string, start: number): number | undefined {
  DOMAIN.lastIndex = start;
  const match = DOMAIN.exec(text);
  return match && isCommon(match[0]) ? DOMAIN.lastIndex : undefined;
}

/** Checks for words of a sentence: "look at" before a domain, "at some point in". */
function isSentence([whole, local = '', domain = '']: RegExpExecArray): boolean {
  if (!/^\s/.test(whole.slice(local.length)) || /[[({<@]/.test(whole.slice(0, -domain.length))) return false;
  return isNoAddress(local) || SENTENCE.test(domain);
}

function isCommon(domain: string): boolean {
  return COMMON_TOP_LEVEL.test(/[a-z0-9-]+$/i.exec(domain)?.[0] ?? '');
}

function isLocalCharacter(code: number): boolean {
  return isWord(code) || code === 46 || code === 43 || code === 45;
}
