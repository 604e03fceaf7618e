import type { Span } from '../detector.ts';
import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

/** Rules by the first three characters of their keyword. */
const RULES = new Map<string, readonly SecretRule[]>();
for (const rule of SECRET_RULES) {
  const beginning = rule.keyword.slice(0, 3);
  RULES.set(beginning, [...(RULES.get(beginning) ?? []), rule]);
}
/** The prefixes of the names that `assignedAt` accepts. */
export const ASSIGNED_NAMES: readonly string[] = ['pas', 'pwd', 'sec', 'api', 'acc', 'tok'];
const ASSIGNED =
  /(?:[Pp]ass(?:word|wd|phrase|code)|PASS(?:WORD|WD|PHRASE)|pwd|PWD|[Ss]ecret|SECRET|[Aa]pi[_-]?[Kk]ey|API_?KEY|[Aa]ccess[_-]?[Kk]ey|ACCESS_?KEY|[Tt]oken|TOKEN)["']?(?:\s{0,3}(?::=?|=>?)\s{0,3}|\s+is\s+)(?:"([^"\s]{6,200})"|'([^'\s]{6,200})'|([^\s"'`,;(){}[\]<>]{6,200}))/y;
/** Values that are not secrets: variables, templates, masks, words. */
const NO_SECRET =
  /^(?:\$|%|<|\{|\*{3}|x{4}|\.{3}|process\.|os\.|env\.|config\.|self\.|this\.|[A-Za-z_$.]+$|\d{1,7}$|https?:)|\*{3}|^\[[A-Z_]+_\d+\]/;
const MIN_ENTROPY = 2.5;
/** Longer values are not searched for names again. */
const LONG_CHARS = 24;
const EXAMPLE_WORDS =
  /pass(?:word|wd|phrase|code)?|secret|token|(?:api|access|private|public|auth)[_-]?key|key|test(?:ing)?|example|sample|dummy|fake|mock|demo|your|my|the|user(?:name)?|admin|guest|root|auth|value|here|changeme|change|default|foo|bar|baz|qux|string|hidden|redacted|level|for|new|old|some|valid|invalid|wrong|correct|placeholder|insert|replace|xxx+/gi;

/** Returns the key, token or password at a position, by the format of its issuer. */
export function secretAt(text: string, at: number): Span | undefined {
  for (const { keyword, pattern } of RULES.get(text.slice(at, at + 3)) ?? []) {
    if (!text.startsWith(keyword, at)) continue;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const end = at + match[0].length;
    if (match[1] === undefined) {
      return { start: at, end, type: 'SECRET', evidence: 'proved' };
    }
    if (isPlaceholder(match[1])) continue;
    const start = at + match[0].indexOf(match[1], keyword.length);
    return { start, end: start + match[1].length, type: 'SECRET', evidence: 'proved' };
  }
  return undefined;
}

/** Returns the value assigned to a name such as `password` at a position, and the end of the read part. */
export function assignedAt(text: string, at: number): { span?: Span; end: number } {
  ASSIGNED.lastIndex = at;
  const match = ASSIGNED.exec(text);
  if (!match) return { end: at };
  const value = match[1] ?? match[2] ?? match[3] ?? '';
  const quoted = match[3] === undefined ? 1 : 0;
  const end = at + match[0].length - quoted;
  const read = value.length > LONG_CHARS ? end : at + 1;
  const code = quoted === 0 && isCode(value, text, end);
  if (code || !isSecretValue(value)) return { end: read };
  return { span: { start: end - value.length, end, type: 'SECRET', evidence: 'shape+context' }, end };
}

/** Checks for code in place of a value: a call, an index, a path of names, the type of an option. */
function isCode(value: string, text: string, end: number): boolean {
  return (
    /^[([<`"'?]/.test(text.slice(end, end + 1)) ||
    /^[A-Za-z_$@][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/.test(value)
  );
}

/** Checks whether a value is random enough for a secret, and not an example. */
export function isSecretValue(value: string): boolean {
  return (
    !NO_SECRET.test(value) &&
    !isPlaceholder(value) &&
    /\d/.test(value) &&
    /[^\d.]/.test(value) &&
    entropy(value) >= MIN_ENTROPY
  );
}

/** Checks for an example of common words and a few digits: `secret123`, `your-api-key`, `password-for-30001`. */
export function isPlaceholder(value: string): boolean {
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
