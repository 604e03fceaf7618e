import type { Span } from '../detector.ts';
import { COMMON_TOP_LEVEL } from '../rules/obfuscated-emails.ts';
import { isNoAddress, isSpokenDigit } from './languages.ts';

const MAX_CHARS = 140;
const MAX_TOKENS = 40;
const GAP = '[ \\t]?,?[ \\t]{1,2}';
const DOT = '(?:dot|punkt|punto|point|ponto|punt)';
const LETTERS = '[a-z0-9](?:[ ,-]{1,2}[a-z0-9]){1,12}(?![a-z0-9])';
const WORD = '[a-z0-9][a-z0-9-]{1,40}(?![a-z0-9])';
const HYPHEN = '(?:dash|hyphen|minus|bindestrich|tiret|gui[oó]n|trattino|h[ií]fen|streepje)';
const PART = `(?!(?:the|an?|this|that|some|any|one|our|your|my|no|what|which|each|every|its|their) )(?:${LETTERS}(?: ${WORD})?|[a-z0-9](?=${GAP}${HYPHEN} )|[a-z0-9] ${WORD}|${WORD}(?: (?!(?:${DOT}|${HYPHEN}) )${WORD})?)`;
/** One label of a domain: a word, words, or letters: "lakeside dash dental", "g m x". */
const LABEL = `${PART}(?:${GAP}${HYPHEN}${GAP}${PART})*`;
const AT = /[ \t]?,?[ \t](?:at(?: sign)?|@|arroba|arobase|ät|chiocciola|apenstaartje|klammeraffe)[ \t]?,?[ \t]/iy;
const DOMAIN = new RegExp(`(?:${LABEL})(?:${GAP}${DOT}${GAP}(?:${LABEL})){1,4}`, 'iy');
const TOP_LEVEL = new RegExp(`${GAP}${DOT}${GAP}([a-z]{2,8}(?![a-z])|[a-z](?:[ -][a-z]){1,2}(?![a-z]))`, 'gi');
const WRITTEN = /[a-z0-9][a-z0-9-]{0,40}(?:\.[a-z0-9-]{2,20}){1,3}(?![\w-])/iy;
/** Providers of mail whose names stand for the domain. */
const PROVIDER = /(?:gmail|googlemail|hotmail|outlook|yahoo|icloud|protonmail)(?![\w.])/iy;
const PROVIDER_NAME = /^(?:gmail|googlemail|hotmail|outlook|yahoo|icloud|protonmail|gmx|aol|web)\b/i;
const MAIL_WORD =
  /\b(?:e-?mail|mail|address|login|username|courriel|correo|adresse)\b[^\n]{0,60}$|\b(?:e-?mail|mail|courriel|correo)\b[^\n]{0,80}\n[^\n]{0,60}$/i;
const SIGN =
  /^(?:dot|point|punkt|punto|ponto|punt|underscore|unterstrich|underline|dash|hyphen|minus|bindestrich|tiret|trattino|guion|guión|hífen|streepje|plus|más|bas|bajo|basso|period|liggend)$/;
const TOKEN = /[\p{L}\p{N}'’._+-]+/gu;
const FILLERS: ReadonlySet<string> = new Set('uh um er erm äh ähm euh eh capital lowercase'.split(' '));
const NATO = /^(?:as|like|wie|comme|como|for)$/;
/** Returns the address in words around a word for `@`: "ada dot lovelace at gmail dot com". It begins not before `from`. */
export function spokenEmailAt(text: string, at: number, from: number): Span | undefined {
  const sign = text[at - 1] === ',' ? at - 1 : at;
  AT.lastIndex = sign;
  if (!AT.test(text)) return undefined;
  const domain = domainEnd(text, AT.lastIndex);
  if (domain === undefined) return undefined;
  const local = localStart(text, Math.max(from, sign - MAX_CHARS), sign);
  if (local === undefined) return undefined;
  const isSure = local.signs > 0 || PROVIDER_NAME.test(text.slice(AT.lastIndex, AT.lastIndex + 12));
  const end = text.slice(AT.lastIndex, domain.end);
  if (!isSure && / point (?:it|in|at|be|no|me|us)$/i.test(end)) return undefined;
  if (!isSure && !domain.spoken && !MAIL_WORD.test(text.slice(Math.max(0, local.start - MAX_CHARS), local.start))) {
    return undefined;
  }
  return { start: local.start, end: domain.end, type: 'EMAIL', evidence: 'shape+context' };
}

/** Returns the end of the domain, and whether its points are words. */
function domainEnd(text: string, start: number): { end: number; spoken: boolean } | undefined {
  DOMAIN.lastIndex = start;
  const spoken = DOMAIN.exec(text);
  if (spoken) {
    const end = endOfTopLevel(spoken[0]);
    if (end > 0) return { end: start + end, spoken: true };
  }
  for (const form of [WRITTEN, PROVIDER]) {
    form.lastIndex = start;
    const written = form.exec(text);
    const top = written?.[0].split('.').at(-1) ?? '';
    if (written && (form === PROVIDER || COMMON_TOP_LEVEL.test(top))) return { end: form.lastIndex, spoken: false };
  }
  return undefined;
}

/** Returns the end of the last top-level domain in a domain in words, or 0. */
function endOfTopLevel(domain: string): number {
  let end = 0;
  for (const { 0: whole, 1: top = '', index } of domain.matchAll(TOP_LEVEL)) {
    if (COMMON_TOP_LEVEL.test(top.replaceAll(/[ -]/g, ''))) end = index + whole.length;
  }
  return end;
}

/**
 * Reads the part before the `@` backwards: a word, letters or digits one by one, and more of them before words for signs.
 */
function localStart(text: string, from: number, sign: number): { start: number; signs: number } | undefined {
  const line = Math.max(from, lastBreak(text, from, sign));
  const tokens = [...text.slice(line, sign).matchAll(TOKEN)].slice(-MAX_TOKENS);
  let start: number | undefined;
  let signs = 0;
  let word = '';
  /** The kind of the tokens on the right of the current one. */
  let right: 'sign' | 'digits' | 'letters' | 'word' = 'sign';
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index];
    const value = (token?.[0] ?? '').toLowerCase().replace(/^['’]+|['’]+$/g, '');
    const spelled = right === 'sign' || right === 'letters' ? spelledBefore(tokens, index) : 0;
    const isLetter = value.length === 1 && /\p{L}/u.test(value);
    if (FILLERS.has(value)) continue;
    if (SIGN.test(value) && right !== 'sign') right = 'sign';
    else if (SIGN.test(value) && start !== undefined && /^(?:bas|bajo|basso)$/.test(tokens[index + 1]?.[0] ?? ''))
      continue;
    else if (spelled > 0) {
      index -= spelled;
      right = 'letters';
      signs++;
    } else if (isSpokenDigit(value) && right !== 'word' && right !== 'letters') {
      right = 'digits';
      signs++;
    } else if (isLetter && (right !== 'word' || !/[ai]/.test(value))) {
      signs += right === 'letters' ? 1 : 0;
      right = 'letters';
    } else if (right === 'sign' || right === 'digits') {
      right = 'word';
      word = value;
    } else break;
    if (right !== 'sign') start = line + (tokens[index]?.index ?? 0);
    else signs++;
  }
  // A sign in front of the address does not belong to it.
  if (start === undefined) return undefined;
  return signs === 0 && isNoAddress(word) ? undefined : { start, signs };
}

/** Returns how many tokens are before the word of "B as in Bravo" or "B for Bravo", or 0. */
function spelledBefore(tokens: readonly RegExpExecArray[], index: number): number {
  const at = (back: number) => tokens[index - back]?.[0].toLowerCase() ?? '';
  if (at(1) === 'in' && at(2) === 'as' && at(3).length === 1) return 3;
  return NATO.test(at(1)) && at(2).length === 1 && at(0).startsWith(at(2)) ? 2 : 0;
}

/** Returns the position behind the last line end, colon or end of a sentence. */
function lastBreak(text: string, from: number, to: number): number {
  const part = text.slice(from, to);
  const found = Math.max(
    part.lastIndexOf('\n'),
    part.lastIndexOf(': '),
    part.lastIndexOf('? '),
    part.lastIndexOf('. '),
  );
  return from + found + 1;
}
