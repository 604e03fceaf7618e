import { mayDerive, type PiiPolicy, RESTRICTED_TYPES } from '../policy/policy.ts';
import type { Known } from '../vault/record.ts';
import type { Written } from './written-placeholders.ts';

const UPPER = 'BCDFGHJKLMNPQRSTVWXZ';
const LOWER = UPPER.toLowerCase();
/** Digits of days and months: every number of two of them exists in both. */
const DAY_DIGITS = '01';
/** Characters of a value that a stand-in may have, because no text format escapes them. */
const KEPT = /[ .,@+()/:_-]/;
const RESTRICTED_STAND_IN = 'Qw7kXz2m';

/**
 * Returns a stand-in of a value. It has the shape of the value, and the parts that the policy allows programs to derive. All other
 * letters and digits are invented. A restricted value has the same stand-in for every value. `seed` makes the stand-ins of equal shapes differ.
 */
export function standInOf({ type, spellings, numeric }: Known, policy: PiiPolicy, seed: number): Written {
  if (RESTRICTED_TYPES.has(type)) return { text: numeric ? '7' : RESTRICTED_STAND_IN, isNumber: numeric };
  const [{ text }] = spellings;
  const kept = keptParts(type, text, policy);
  let state = seed;
  const next = (choices: string) => {
    // The constants of a linear congruential generator, Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices.charAt((state >>> 16) % choices.length);
  };
  const digits = type === 'DATE_OF_BIRTH' ? DAY_DIGITS : '123456789';
  const invented = Array.from(text, (character, index) => {
    if (kept.has(index) && character.charCodeAt(0) < 0x7f && /[\w.@+-]/.test(character)) return character;
    if (/\d/.test(character)) return next(digits);
    if (/\p{Lu}/u.test(character)) return next(UPPER);
    if (/\p{L}/u.test(character)) return next(LOWER);
    return KEPT.test(character) ? character : '-';
  });
  return { text: invented.join(''), isNumber: numeric };
}

/** Returns the indexes of the characters that programs may derive: domains, last digits, years and initials. */
function keptParts(type: string, text: string, policy: PiiPolicy): ReadonlySet<number> {
  const kept = new Set<number>();
  const keep = (pattern: RegExp) => {
    for (const { index, 0: part } of text.matchAll(pattern)) for (let i = 0; i < part.length; i++) kept.add(index + i);
  };
  const may = (derivation: Parameters<typeof mayDerive>[2]) => mayDerive(policy, type, derivation);
  if (type === 'EMAIL' && may('domain')) keep(/@[^@]*$/g);
  if ((type === 'PHONE' || type === 'IBAN') && may('last4')) keep(/\w{4}$/g);
  if (type === 'DATE_OF_BIRTH' && may('year')) keep(/(?<!\d)(?:19|20)\d\d(?!\d)/g);
  if (!['PHONE', 'IBAN', 'DATE_OF_BIRTH', 'IP'].includes(type) && may('mask')) keep(/(?<=^|\s)\S/g);
  return kept;
}
