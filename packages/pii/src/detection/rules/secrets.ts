import type { Span } from '../detector.ts';
import { isCommonWord } from '../hints/frequent-words.ts';
import { isCursor, wordsOf } from '../hints/keys.ts';
import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

/** Rules by the first three characters of their keyword. */
const RULES = new Map<string, readonly SecretRule[]>();
for (const rule of SECRET_RULES) {
  const beginning = rule.keyword.slice(0, 3);
  RULES.set(beginning, [...(RULES.get(beginning) ?? []), rule]);
}
/** The prefixes of the names that `assignedAt` accepts. */
export const ASSIGNED_NAMES: readonly string[] = ['pas', 'pwd', 'sec', 'api', 'acc', 'tok', 'key'];
const NAMES = [
  '[Pp]ass(?:word|wd|phrase|code)|PASS(?:WORD|WD|PHRASE)|pwd|PWD',
  '(?:[Ss]ecret|SECRET)(?:[_-]?(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Vv]alue))?',
  '[Aa]pi[_-]?[Kk]ey|API_?KEY|[Aa]ccess[_-]?[Kk]ey|ACCESS_?KEY|[Tt]oken|TOKEN',
  '(?<=(?:auth|private|consumer|client|signing|encryption|account|master|license|service|shared|integration|app(?:lication)?)[_-]?)[Kk]ey',
  '(?<=(?:AUTH|PRIVATE|CONSUMER|CLIENT|SIGNING|ENCRYPTION|ACCOUNT|MASTER|LICENSE|SERVICE|SHARED|APP(?:LICATION)?)_)KEY',
  // Any other key: its value must be random.
  '(?<=[a-z0-9])Key|(?<=[A-Za-z0-9]_)(?:KEY|key)',
].join('|');
/** `:`, `=`, `:=`, `=>`, `?=`, `||:`, "is", the comma of a call, and the end of a tag. */
const SIGNS = String.raw`\\?["'\`]?(?:\s{0,3}(?::=?|[=?]?=>?|\|{1,3}:)\s{0,3}|\s+is\s+|(?<=\(["'\`][\w.-]{0,60}["'\`]),[ \t]{0,2}(?=["'\`])|(?<=<[\w:-]{0,40})>)`;
const VALUE = String.raw`(?:\\?"([^"\\\s]{6,200})\\?"|\\?'([^'\\\s]{6,200})\\?'|([^\s"'\`,;(){}[\]<>\\]{6,200})|\`([^\`\s]{6,200})\`)`;
const ASSIGNED = new RegExp(`(?:${NAMES})${SIGNS}${VALUE}`, 'y');
/** "with password hunter2": a value directly after the word, and a word before it. */
const SAID =
  /(?:[Pp]ass(?:word|wd|phrase|code)|pwd)[ \t]{1,3}(?:of |as |set to |to )?["'`]?([^\s"'`,;(){}[\]<>]{5,64}?)(?=[.!?]?(?:[\s"'`,;)]|$))/y;
const SAID_BEFORE =
  /\b(?:with|using|and|or|the|my|your|our|his|her|their|its|a|new|old|temporary|temp|initial|default|current|admin|root|login|user|wifi|wi-fi|database|db|master)[ \t](?:the |a |your |my )?$/i;
const ALGORITHM =
  /^(?:polic(?:y|ies)|field|manager|sha|md|utf|base|aes|rsa|bcrypt|scrypt|argon|pbkdf|oauth|v\d)[-_]?\d{1,4}$/i;
/** Values that are not secrets: variables, templates, masks, words, objects of Java (`android.os.BinderProxy@2bd79ce`). */
const NO_SECRET =
  /^(?:\$|%|<|\{|\*{3}|x{4}|\.{3}|process\.|os\.|env\.|config\.|self\.|this\.|[A-Za-z_$.]+$|\d{1,7}$|https?:|(?:[a-z][a-z\d]{0,30}\.){2,6}[\w$]{1,80}(?:@[\da-f]{1,16}|\/\d{1,8}:?)$)|\*{3}|^\[[A-Z_]+_\d+\]/;
const TOKEN_NAME = /^token/i;
const NAME_BEFORE = /[A-Za-z_$-]*$/;
const MAX_NAME_CHARS = 32;
/** The length of "pwd" and a space. */
const MIN_PASSWORD_WORD = 4;
/** Values of settings under keys such as `credentials` and `authorization`. */
const SETTINGS: ReadonlySet<string> = new Set(
  'include omit required optional bearer basic digest enabled disabled anonymous oauth unknown'.split(' '),
);
/** The fewest different characters of a key. */
const MIN_DIFFERENT = 3;
/** Names of headers and settings: `x-aws-ec2-metadata-token`. */
const DASHED_NAME = /^[a-z]{1,20}(?:[-_.:][a-z]{1,20}\d?){2,8}$/;
/** A name of a setting with the prefix of an issuer: `secret_scanning_push_protection_enabled`. */
const SEVERAL_WORDS = /^[a-z]{2,20}(?:[_-][a-z]{1,20}){3,}$/;
/** A type or function in code: `SensitiveString2048`. */
const SEVERAL_HUMPS = /^[A-Z]?[a-z]{2,20}(?:[A-Z][a-z]{2,20}){1,10}\d{0,4}$/;
const MIN_ENTROPY = 2.5;
/** The least length and entropy of the value of any other `key`. */
const RANDOM_CHARS = 20;
const RANDOM_ENTROPY = 3.2;
const RANDOM = /^(?=[^\d]*\d)(?=[^a-zA-Z]*[a-zA-Z])[A-Za-z0-9_+=~-]{1,200}$/;
/** Words of names before a key that is a secret by its name. */
const SECRET_KEY_BEFORE =
  /(?:api|access|secret|auth|private|consumer|client|signing|encryption|account|master|license|service|shared|integration|app(?:lication)?)[_-]?$/i;
/** Keys that are no secrets: of caches, tables, objects and pairs. */
const NO_SECRET_KEY =
  /(?:public|primary|foreign|cache|sort|partition|object|idempotency|row|hash|group|storage|index|unique|query|route|message|site|publishable|search)_?$/i;
/** Longer values are not searched for names again. */
const LONG_CHARS = 24;
const EXAMPLE_WORDS =
  /pass(?:word|wd|phrase|code)?|secret|token|(?:api|access|private|public|auth)[_-]?key|key|test(?:ing)?|example|sample|dummy|fake|mock|demo|your|my|the|user(?:name)?|admin|guest|root|auth|value|here|changeme|change|default|foo|bar|baz|qux|string|hidden|redacted|level|for|new|old|some|valid|invalid|wrong|correct|placeholder|insert|replace|xxx+/gi;

/** Returns the key, token or password at a position, by the format of its issuer. */
export function secretAt(text: string, at: number): Span | undefined {
  for (const { keyword, pattern, before = 0, valid } of RULES.get(text.slice(at, at + 3)) ?? []) {
    if (!text.startsWith(keyword, at)) continue;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const end = at + match[0].length;
    const secret = match[1];
    if (secret === undefined) {
      if (isMonotonous(text.slice(at - before, at) + match[0].slice(keyword.length))) continue;
      if (SEVERAL_WORDS.test(match[0])) continue;
      return { start: at - before, end, type: 'SECRET', evidence: 'proved' };
    }
    if (isPlaceholder(secret) || valid?.(secret) === false) continue;
    const start = match[0].endsWith(secret) ? end - secret.length : at + match[0].indexOf(secret, keyword.length);
    return { start, end: start + secret.length, type: 'SECRET', evidence: 'proved' };
  }
  return undefined;
}

/** Checks for a masked or example key: `ghp_xxxxxxxx…`, `AKIAIOSFODNN7EXAMPLE`. */
function isMonotonous(rest: string): boolean {
  return rest.endsWith('EXAMPLE') || new Set(rest).size < MIN_DIFFERENT;
}

/** Checks for words in place of a secret, as the value of a key: `nextToken`, `YOUR_API_KEY_HERE`, `super-secret-key`. */
export function isWords(value: string): boolean {
  const plain = value.replace(/^(?:Bearer|Basic|Token) /i, '');
  if (/(?:^|[.-])cookie$/i.test(plain)) return true;
  if (/\d/.test(plain)) return isPlaceholder(plain) || new Set(plain).size < MIN_DIFFERENT;
  const words = wordsOf(plain);
  // One word can be a weak password.
  if (words.length < 2) return SETTINGS.has(words[0] ?? '') || isPlaceholder(plain);
  return words.every((word) => word.length < 3 || isCommonWord(word));
}

/** Returns the value assigned to a name such as `password` at a position, and the end of the read part. */
export function assignedAt(text: string, at: number): { span?: Span; end: number } {
  ASSIGNED.lastIndex = at;
  const match = ASSIGNED.exec(text);
  if (!match) return saidAt(text, at);
  if (isCursorName(text, at)) return { end: at + 1 };
  const value = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
  const quoted = match[3] === undefined ? 1 : 0;
  const escaped = quoted === 1 && match[0].at(-2) === '\\' ? 1 : 0;
  const end = at + match[0].length - quoted - escaped;
  const read = value.length > LONG_CHARS ? end : at + 1;
  const code = quoted === 0 && isCode(value, text, end);
  if (isOtherKey(text, at) && !isRandom(text, at, value)) return { end: read };
  if (code || !isSecretValue(value)) return { end: read };
  return { span: { start: end - value.length, end, type: 'SECRET', evidence: 'shape+context' }, end };
}

/** Checks for a `key` without a word before it that makes it a secret: `STRAPI_KEY`. */
function isOtherKey(text: string, at: number): boolean {
  if (!/^key/i.test(text.slice(at, at + 3))) return false;
  return !SECRET_KEY_BEFORE.test(text.slice(Math.max(0, at - MAX_NAME_CHARS), at));
}

/** Checks whether the value of any other `key` is random, and its name not that of a known kind. */
function isRandom(text: string, at: number, value: string): boolean {
  if (value.length < RANDOM_CHARS || !RANDOM.test(value) || entropy(value) < RANDOM_ENTROPY) return false;
  return !NO_SECRET_KEY.test(text.slice(Math.max(0, at - MAX_NAME_CHARS), at));
}

/** Returns the password in prose: "sign in with password hunter2". */
function saidAt(text: string, at: number): { span?: Span; end: number } {
  SAID.lastIndex = at;
  const value = SAID.exec(text)?.[1];
  if (value === undefined || !isSecretValue(value) || ALGORITHM.test(value)) return { end: at };
  if (!SAID_BEFORE.test(text.slice(Math.max(0, at - MAX_NAME_CHARS), at))) return { end: at };
  const start = text.indexOf(value, at + MIN_PASSWORD_WORD);
  return {
    span: { start, end: start + value.length, type: 'SECRET', evidence: 'shape+context' },
    end: start + value.length,
  };
}

/** Checks for the token of a page: `nextPageToken`, `page_token`. Reads the name around a position. */
function isCursorName(text: string, at: number): boolean {
  const word = TOKEN_NAME.exec(text.slice(at, at + MAX_NAME_CHARS))?.[0];
  if (word === undefined) return false;
  const before = NAME_BEFORE.exec(text.slice(Math.max(0, at - MAX_NAME_CHARS), at))?.[0] ?? '';
  return isCursor(wordsOf(before + word));
}

/** Checks for code in place of a value: a call, an index, a path of names, the type of an option. */
function isCode(value: string, text: string, end: number): boolean {
  return (
    /^(?:[([`"'?]|<(?!\/))/.test(text.slice(end, end + 2)) ||
    /^[A-Za-z_$@][\w$]*(?:(?:\.|->|::|\?\.|\|)[A-Za-z_$][\w$]*)+$/.test(value) ||
    (text[end] === ';' && text[end - value.length - 1] === ' ' && SEVERAL_HUMPS.test(value))
  );
}

/** Checks whether a value is random enough for a secret, and not an example. */
export function isSecretValue(value: string): boolean {
  return (
    !NO_SECRET.test(value) &&
    !DASHED_NAME.test(value) &&
    !isPlaceholder(value) &&
    /\d/.test(value) &&
    /[^\d.]/.test(value) &&
    entropy(value) >= MIN_ENTROPY
  );
}

/** Checks for an example of common words and a few digits: `secret123`, `your-api-key`, `password-for-30001`. */
export function isPlaceholder(value: string): boolean {
  if (/EXAMPLE(?:KEY)?$/.test(value)) return true;
  const rest = value.replace(EXAMPLE_WORDS, '');
  return rest.length < value.length && rest.replace(/[\W_]|\d{1,5}/g, '').length < 2;
}

/** Returns the Shannon entropy in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
