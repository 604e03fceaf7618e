import type { Span } from './detector.ts';
import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

/** Rules by the first two characters of their keyword. */
const RULES = new Map<number, readonly SecretRule[]>();
/** 1 where two characters begin a keyword. */
const PAIRS = new Uint8Array(128 * 128);
for (const rule of SECRET_RULES) {
  const pair = rule.keyword.charCodeAt(0) * 128 + rule.keyword.charCodeAt(1);
  RULES.set(pair, [...(RULES.get(pair) ?? []), rule]);
  PAIRS[pair] = 1;
}
const ASSIGNED =
  /(?:[Pp]ass(?:word|wd|phrase|code)|PASS(?:WORD|WD|PHRASE)|pwd|PWD|[Ss]ecret|SECRET|[Aa]pi[_-]?[Kk]ey|API_?KEY|[Aa]ccess[_-]?[Kk]ey|ACCESS_?KEY|[Tt]oken|TOKEN)["']?(?:\s{0,3}(?::=?|=>?)\s{0,3}|\s+is\s+)(?:"([^"\s]{6,200})"|'([^'\s]{6,200})'|([^\s"'`,;(){}[\]<>]{6,200}))/g;
/** What stands where a secret would: variables, templates, masks, words. */
const NO_SECRET =
  /^(?:\$|%|<|\{|\*{3}|x{4}|\.{3}|process\.|os\.|env\.|config\.|self\.|this\.|[A-Za-z_$.]+$|\d{1,7}$|https?:)|\*{3}|^\[[A-Z_]+_\d+\]/;
const MIN_ENTROPY = 2.5;

/** Keys, tokens and passwords in a text, by the format that their issuer gave them. */
export function scanSecrets(text: string, found: Span[]): void {
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (previous < 128 && code < 128 && PAIRS[previous * 128 + code] === 1) {
      const span = secretAt(text, at - 1, previous * 128 + code);
      if (span) {
        found.push(span);
        at = span.end;
        previous = 0;
        continue;
      }
    }
    previous = code;
  }
}

function secretAt(text: string, at: number, pair: number): Span | undefined {
  for (const { keyword, pattern } of RULES.get(pair) ?? []) {
    if (!text.startsWith(keyword, at)) continue;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const end = at + match[0].length;
    if (match[1] === undefined) return { start: at, end, type: 'SECRET', evidence: 'proved' };
    const start = at + match[0].indexOf(match[1], keyword.length);
    return { start, end: start + match[1].length, type: 'SECRET', evidence: 'proved' };
  }
  return undefined;
}

/** Values that are assigned to a name such as `password`. Not for source code, where names are all it takes. */
export function scanAssigned(text: string, found: Span[]): void {
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match; match = ASSIGNED.exec(text)) {
    const value = match[1] ?? match[2] ?? match[3] ?? '';
    if (!isSecretValue(value)) continue;
    const quoted = match[3] === undefined ? 1 : 0;
    const end = match.index + match[0].length - quoted;
    found.push({ start: end - value.length, end, type: 'SECRET', evidence: 'shape+context' });
  }
}

/** Whether a value is random or mixed enough to be a secret, and no placeholder for one. */
export function isSecretValue(value: string): boolean {
  return !NO_SECRET.test(value) && /\d/.test(value) && /[^\d.]/.test(value) && entropy(value) >= MIN_ENTROPY;
}

/** Bits per character (Shannon). */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
