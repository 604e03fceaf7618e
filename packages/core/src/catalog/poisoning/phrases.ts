import type { FindingKind } from './finding.ts';
import type { Token, WordClass } from './lexicon.ts';
import { RULES, type Rule } from './rules.ts';

/** A match of a rule in a text. */
export interface Match {
  readonly kind: FindingKind;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

const BY_FIRST = new Map<WordClass, Rule[]>();
for (const rule of RULES) {
  const [first] = rule.words;
  if (first !== undefined) BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), rule]);
}
/** Words before a request in which a negation counts. */
const NEGATION_WORDS = 10;

/** Returns the matches of all rules in the words of a text. The work grows linearly with their number. */
export function requestsIn(tokens: readonly Token[]): Match[] {
  const matches: Match[] = [];
  for (const [index, { classes, start }] of tokens.entries()) {
    if (classes === undefined || classes === 'end') continue;
    for (const first of classes) {
      for (const rule of BY_FIRST.get(first) ?? []) {
        const last = lastWord(tokens, index, rule);
        if (last === undefined || (rule.positive && isNegated(tokens, index))) continue;
        matches.push({ kind: rule.kind, weight: rule.weight, start, end: last.end });
      }
    }
  }
  return matches;
}

/** Returns the last word of a rule that begins at a word; undefined if it does not match. */
function lastWord(tokens: readonly Token[], first: number, { words, gap }: Rule): Token | undefined {
  let at = first;
  for (const [index, wanted] of words.slice(1).entries()) {
    const limit = at + 1 + (typeof gap === 'number' ? gap : (gap[index] ?? 0));
    let found: number | undefined;
    for (let next = at + 1; next <= limit && found === undefined; next++) {
      const classes = tokens[next]?.classes;
      // In "uses a call with a token" the token belongs to the call.
      if (classes === 'end' || ((wanted === 'secret' || wanted === 'token') && classes?.has('means'))) return undefined;
      if (classes?.has(wanted)) found = next;
    }
    if (found === undefined) return undefined;
    at = found;
  }
  return tokens[at];
}

function isNegated(tokens: readonly Token[], index: number): boolean {
  for (let before = index - 1; before >= index - NEGATION_WORDS; before--) {
    const classes = tokens[before]?.classes;
    if (classes === 'end') return false;
    // "Do not forget to send" is a request.
    if (classes?.has('not') && !isClass(tokens[before + 1], 'fail')) return true;
  }
  return false;
}

function isClass(token: Token | undefined, wanted: WordClass): boolean {
  return token?.classes !== 'end' && token?.classes?.has(wanted) === true;
}
