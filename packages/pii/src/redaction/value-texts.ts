import { withoutMarks } from '../encodings/marks.ts';
import { rewriteSteps } from '../encodings/rewrite.ts';
import { exactNumber } from '../json-walk.ts';
import { type LookAlike, readPlaceholders, unescaped } from '../placeholder.ts';
import { mayDerive, type PiiPolicy, RESTRICTED_TYPES } from '../policy/policy.ts';
import { inSlices } from '../slices.ts';
import { type Known, spellingFor } from '../vault/records/record.ts';

/** Writes other texts in place of the placeholders of one program, also inside of encoded texts. */
export interface OtherTexts {
  /** Returns a text of the program as a server receives it; see `restore`. Without a server, as a person reads it. */
  sent(text: string, server?: string): Promise<string>;
  /**
   * Returns a text for the program as the server returned it. A value with several spellings of the server has each of them in turn:
   * which one was at which place is not known.
   */
  received(text: string, server?: string): Promise<string>;
  /** Returns whether a text has a placeholder of several spellings: the host accepts each of them. */
  hasSpellings(text: string): boolean;
}

const NAMES = /\[([A-Z][A-Z0-9_]*_\d+)\]/g;
/** A stand-in of a restricted value with another form than in {@link standInTexts}. */
const OTHER_FORM = 1;

const UPPER = 'BCDFGHJKLMNPQRSTVWXZ';
const LOWER = UPPER.toLowerCase();
/** Characters of a value that a stand-in may have, because no text format escapes them. */
const KEPT = /[ .,@+()/:_-]/;
/** Characters of a value whose shape a stand-in has. A longer value may be a whole document. */
const MAX_SHAPE_CHARACTERS = 4_096;
/** Forms of restricted values. `#` is a digit that differs between stand-ins. */
const RESTRICTED_FORMS: Readonly<Record<string, readonly string[]>> = {
  SSN: ['536-90-####', '53690####'],
  CREDIT_CARD: ['4539 1488 0343 ####', '453914880343####'],
  PASSPORT: ['X1234####', '1234#####'],
};
const OTHER_FORMS = ['Qw7kXz2m####', '1122334####'];

/** Returns texts with stand-ins; see `standInOf`. */
export function standInTexts(
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  policy: PiiPolicy,
): OtherTexts {
  const made = new Map<string, string>();
  const write = (text: string) =>
    written(text, records, types, (known) => {
      const standIn = made.get(known.name) ?? standInOf(known, policy, made.size + 1);
      made.set(known.name, standIn);
      return standIn;
    });
  return { sent: write, received: write, hasSpellings: () => false };
}

/** Returns texts with values. Types that the policy does not allow to compare have stand-ins. */
export function valueTexts(
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  policy: PiiPolicy,
): OtherTexts {
  let count = 0;
  const write = (text: string, server: string | undefined, inTurn: boolean) =>
    written(text, records, types, (known) => {
      if (!mayDerive(policy, known.type, 'match')) return standInOf(known, policy, numberOf(known.name) + OTHER_FORM);
      const own = known.spellings.filter(({ sources }) => server !== undefined && sources.includes(server));
      return inTurn && own.length > 1 ? (own[count++ % own.length]?.text ?? '') : spellingFor(known, server);
    });
  return {
    sent: (text, server) => write(text, server, false),
    received: (text, server) => write(text, server, true),
    hasSpellings: (text) =>
      [...text.matchAll(NAMES)].some(([, name = '']) => (records.get(name)?.spellings.length ?? 0) > 1),
  };
}

async function written(
  text: string,
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  textOf: (known: Known) => string,
): Promise<string> {
  const textFor = (name: string) => {
    const known = records.get(name);
    return known && textOf(known);
  };
  const rewriting = {
    replace: (found: LookAlike, whole: string) => (found.escapes > 0 ? unescaped(found, whole) : textFor(found.name)),
    isPlaceholder: ({ escapes }: LookAlike) => escapes > 0,
    number(only: string) {
      const [found] = readPlaceholders(only, types);
      if (found?.start !== 0 || found.end !== only.length || found.escapes > 0) return undefined;
      return records.get(found.name)?.numeric ? exactNumber(textFor(found.name) ?? '') : undefined;
    },
  };
  return withoutMarks(await inSlices(rewriteSteps(text, types, rewriting)));
}

function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}

/**
 * Returns a stand-in of a value. It has the shape of the value, and the parts that the policy allows programs to derive. All other
 * letters and digits are invented. Of a long value, the shape of its beginning counts. A restricted value has a usual form of its type, not its own. `seed` makes the stand-ins
 * of equal shapes differ.
 */
function standInOf({ type, spellings, numeric }: Known, policy: PiiPolicy, seed: number): string {
  if (RESTRICTED_TYPES.has(type)) return numeric ? `7${seed}` : restrictedStandIn(type, seed);
  const [{ text: whole }] = spellings;
  const text = whole.slice(0, MAX_SHAPE_CHARACTERS);
  const kept = keptParts(type, text, policy);
  let state = seed;
  const next = (choices: string) => {
    // The constants of a linear congruential generator, Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices.charAt((state >>> 16) % choices.length);
  };
  const invented = Array.from(text, (character, index) => {
    if (kept.has(index) && character.charCodeAt(0) < 0x7f && /[\w.@+-]/.test(character)) return character;
    // Days and months from 01 to 09 exist in every form of a date.
    const isTens = type === 'DATE_OF_BIRTH' && /\d/.test(text[index + 1] ?? '') && !/\d/.test(text[index + 2] ?? '');
    if (/\d/.test(character)) return isTens ? '0' : next('123456789');
    if (/\p{Lu}/u.test(character)) return next(UPPER);
    if (/\p{L}/u.test(character)) return next(LOWER);
    return KEPT.test(character) ? character : '-';
  });
  return invented.join('') + next(LOWER).repeat(whole.length - text.length);
}

function restrictedStandIn(type: string, seed: number): string {
  const forms = RESTRICTED_FORMS[type] ?? OTHER_FORMS;
  const digits = String(seed).padStart(5, '0');
  let used = digits.length;
  return Array.from(forms[seed % forms.length] ?? '', (character) => character)
    .reverse()
    .map((character) => (character === '#' ? (digits[--used] ?? '0') : character))
    .reverse()
    .join('');
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
  if (type === 'IBAN' && may('country')) keep(/^[A-Z]{2}/g);
  if (type === 'PHONE' && may('country')) keep(/^\+(?:[17]|\d\d)/g);
  if (type === 'DATE_OF_BIRTH' && may('year')) keep(/(?<!\d)(?:19|20)\d\d(?!\d)/g);
  if (!['PHONE', 'IBAN', 'DATE_OF_BIRTH', 'IP'].includes(type) && may('mask')) keep(/(?<=^|\s)\S/g);
  return kept;
}
