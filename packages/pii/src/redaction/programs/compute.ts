import { messageOf, PiiError } from '../../errors.ts';
import { type Derivation, RESTRICTED_TYPES } from '../../policy/policy.ts';
import type { Known } from '../../vault/vault.ts';
import { comparedPart, formattedDates, sinceTime, spansUntil } from './dates.ts';
import { derive } from './derive.ts';
import { withLiterals } from './literals.ts';
import { conditionOf, match } from './match.ts';
import { groupOf, hashesOf, joinedMatches, originalsOf, partsOf, piecesOf, replacedIn } from './parts.ts';
import { textMethod, wordsOf } from './text-methods.ts';
import type { NamedTransform } from './text-transforms.ts';
import { admit, admitOrder, type TransformOptions, transformKnown } from './transform.ts';

/** The result of an ordinary expression for one value; `null` if the host does not compute it, `undefined` if not together with others. */
export type Computed = string | number | boolean | readonly (string | null | undefined)[] | null | undefined;

/** An expression of a program on the text of a value: its kind, and its arguments. */
export type Expression = readonly [kind: string, ...parameters: unknown[]];

/** Words of a name that have placeholders. */
const MAX_WORDS = 8;
/** Facts that are a part of the text, and the end of the text that they must be. */
const FACTS: Readonly<Record<string, 'start' | 'end' | 'whole'>> = {
  year: 'start',
  country: 'start',
  last4: 'end',
  length: 'whole',
};

/**
 * Computes an ordinary expression of a program, such as `email.toLowerCase()`, for values of one type. Texts become placeholders, as with
 * `transform`; facts and conditions follow the policy and the limits of `derive` and `match`. The program asks for the first value, and receives
 * those of the others too. The result of a value is `null` if the host cannot compute it exactly, or may not.
 */
export async function compute(
  names: readonly string[],
  [kind, ...parameters]: Expression,
  options: TransformOptions,
): Promise<readonly Computed[]> {
  const nothing = names.map(() => null);
  const found = await options.vault.find(names);
  const known = names.flatMap((name) => found.get(name) ?? []);
  if (known.length !== names.length || known.some(({ type }) => RESTRICTED_TYPES.has(type))) return nothing;
  try {
    // The text of `order` is a placeholder, and `match` reads the literals of its condition.
    const isRead = kind === 'order' || kind === 'match';
    const given = isRead ? parameters : await withLiterals(parameters, options);
    return (await RULES[kind]?.(known, given, options)) ?? nothing;
  } catch (error) {
    if (error instanceof PiiError && (error.code === 'PII_DENIED' || error.code === 'INVALID_ARGUMENTS'))
      return nothing;
    throw error;
  }
}

type Rule = (
  known: readonly Known[],
  parameters: readonly unknown[],
  options: TransformOptions,
) => Promise<readonly Computed[] | undefined>;

const textOf = ({ spellings: [{ text }] }: Known) => text;

const RULES: Readonly<Record<string, Rule | undefined>> = {
  /** A method of texts that returns the whole value in another form. */
  async text(known, [method, ...parameters], options) {
    const apply = textMethod(String(method), parameters);
    if (apply === undefined) return method === 'replace' ? replacedIn(known, parameters, options) : undefined;
    const step: NamedTransform = { apply, isPart: false };
    // A program compares texts by their placeholders: a result that is another value has the placeholder of that value.
    return transformKnown(known, [step], options, true);
  },
  /** A part of the text by its positions. */
  async part(known, [from, to], options) {
    const isPosition = Number.isInteger(from) && (to === null || Number.isInteger(to));
    const cut = (text: string) => text.slice(Number(from), to === null ? undefined : Number(to));
    return isPosition ? partsOf(known, cut, ['part', from, to], options) : undefined;
  },
  group: groupOf,
  pieces: (known, [separator], options) => piecesOf(known, separator, options),
  joined: joinedMatches,
  since: sinceTime,
  spans: spansUntil,
  datepart: comparedPart,
  format: formattedDates,
  hash: (known, [algorithm], options) => hashesOf(known, algorithm, options),
  original: (known, _, options) => originalsOf(known, options),
  /** The words of a name. */
  async words(known, [separator], options) {
    const words = known.map(({ type, spellings: [{ text }] }) =>
      type === 'NAME' ? wordsOf(text, separator) : undefined,
    );
    await admit('pii.transform', known, JSON.stringify(['words', separator]), options);
    const parts: (string | null)[][] = known.map(() => []);
    const most = Math.max(...words.map((list) => list?.length ?? 0));
    for (let index = 0; index < Math.min(most, MAX_WORDS); index++) {
      const apply = (text: string) => wordsOf(text, separator)?.[index] ?? null;
      const having = known.flatMap((one, at) => ((words[at]?.length ?? 0) > index ? [[one, at] as const] : []));
      const made = await transformKnown(
        having.map(([one]) => one),
        [{ apply, isPart: true }],
        options,
      );
      for (const [place, [, at]] of having.entries()) parts[at]?.push(made[place] ?? null);
    }
    return known.map((_, at) => {
      const list = words[at];
      const isWhole =
        list && list.length <= MAX_WORDS && parts[at]?.length === list.length && !parts[at].includes(null);
      return isWhole ? (parts[at] ?? null) : null;
    });
  },
  /** The first letter of a name. */
  async letter(known, _, options) {
    const names = known.filter(({ type }) => type === 'NAME');
    const apply = (text: string) => /^[A-Za-z]/.exec(text)?.[0] ?? null;
    const made = (await transformKnown(names, [{ apply, isPart: true }], options)).values();
    return known.map(({ type }) => (type === 'NAME' ? (made.next().value ?? null) : null));
  },
  /** The two parts of an e-mail address. */
  async address(known, _, options) {
    const isPlain = ({ type, spellings: [{ text }] }: Known) => type === 'EMAIL' && /^[^@]+@[^@]+$/.test(text);
    const plain = known.filter(isPlain);
    if (plain.length === 0) return undefined;
    await derive(
      plain.map(({ name }) => name),
      'domain',
      options,
    );
    const apply = (text: string) => text.slice(0, text.indexOf('@'));
    const locals = (await transformKnown(plain, [{ apply, isPart: true }], options)).values();
    return known.map((one) =>
      isPlain(one) ? [locals.next().value ?? null, textOf(one).slice(textOf(one).indexOf('@') + 1)] : null,
    );
  },
  /** A fact that is a part of the text, such as the year with which it starts. */
  async fact(known, [wanted, characters], options) {
    const place = FACTS[String(wanted)];
    if (place === undefined) return undefined;
    const facts = await derive(
      known.map(({ name }) => name),
      wanted as Derivation,
      options,
    );
    return known.map((one, index) => {
      const [fact, text] = [facts[index] ?? null, textOf(one)];
      if (place === 'whole') return fact === text.length ? fact : null;
      const isExact = place === 'start' ? text.startsWith(String(fact)) : text.endsWith(String(fact));
      return fact !== null && isExact && String(fact).length === characters ? String(fact) : null;
    });
  },
  async match(known, [condition], options) {
    conditionOf(condition);
    return match(
      known.map(({ name }) => `[${name}]`),
      condition,
      options,
    );
  },
  /** The position of each value in the order of their texts. Equal positions compare as equal. */
  async order(known, [locales, settings], options) {
    if (locales === 'dates' && known.some((one) => Number.isNaN(Date.parse(textOf(one))))) return undefined;
    const compare = comparison(locales, settings);
    const sorted = known.map(textOf).sort(compare);
    const ranks = new Map<string, number>();
    let rank = 0;
    for (const [index, text] of sorted.entries()) {
      const before = sorted[index - 1];
      if (before === undefined || compare(before, text) !== 0) rank++;
      ranks.set(text, rank);
    }
    const found = known.map((one) => ranks.get(textOf(one)) ?? null);
    await admitOrder(known, found, ['order', locales ?? null, settings ?? null], options);
    return found;
  },
};

/** Returns the comparison of `localeCompare` with its arguments, or of characters. */
function comparison(locales: unknown, settings: unknown): (a: string, b: string) => number {
  if (locales === 'dates') return (a, b) => Date.parse(a) - Date.parse(b);
  if (locales === 'characters') return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  try {
    return new Intl.Collator((locales ?? 'en-US') as string, (settings ?? {}) as Intl.CollatorOptions).compare;
  } catch (error) {
    throw new PiiError('INVALID_ARGUMENTS', messageOf(error));
  }
}
