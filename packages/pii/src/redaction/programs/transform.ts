import { PiiError } from '../../errors.ts';
import { readPlaceholders, writePlaceholder } from '../../placeholder.ts';
import { audited } from '../../policy/audit.ts';
import { mayDerive, RESTRICTED_TYPES } from '../../policy/policy.ts';
import { mapInSlices } from '../../slices.ts';
import { canonicalOf, transformedCanonical } from '../../vault/canonical.ts';
import { sourcesOf } from '../../vault/records/record.ts';
import type { Known, Vault } from '../../vault/vault.ts';
import { unknownPlaceholders } from '../restore.ts';
import { MAX_ANSWERS } from './answer-budget.ts';
import { matchAudit } from './guesses.ts';
import { type MatchOptions, match } from './match.ts';
import { isoDate, keyForm, type NamedTransform, transformNamed } from './text-transforms.ts';

/** Values that the programs of one session may transform. */
export const DEFAULT_MAX_TRANSFORMS = 100_000;
const MAX_STEPS = 8;

export interface TransformOptions extends Omit<MatchOptions, 'max'> {
  /** Default: `DEFAULT_MAX_TRANSFORMS`. */
  readonly maxTransforms?: number;
}

/**
 * Computes texts from the values of placeholders and returns new placeholders. They have the type of the value, so the same rules
 * hold for them. Texts without placeholders are computed as they are. Values with one result in a call have one placeholder. Returns
 * `null` for a value without such a form, and for `null`. Raises `INVALID_ARGUMENTS`, `UNKNOWN_PLACEHOLDER`, and `PII_DENIED` at the limit
 * of the session, or for a part of a restricted value.
 */
export async function transform(
  values: readonly unknown[],
  names: readonly unknown[],
  options: TransformOptions,
): Promise<(string | null)[]> {
  const steps = stepsOf(names);
  const operands = await operandsOf('pii.transform', values, options);
  const known = operands.filter((operand) => typeof operand === 'object' && operand !== null);
  const barred = known.find(({ type }) => RESTRICTED_TYPES.has(type) && steps.some(({ isPart }) => isPart));
  if (barred) denied('pii.transform', `a part of ${barred.type} is not available. Use the placeholder itself`);
  const ofKnown = (await transformKnown(known, steps, options)).values();
  const results: (string | null)[] = [];
  for (const operand of operands) {
    if (operand === null || typeof operand === 'string')
      results.push(operand === null ? null : await applied(operand, steps));
    else results.push(ofKnown.next().value ?? null);
  }
  return results;
}

/**
 * Returns placeholders of transformed values; those of `known` in its order. Counts them, and raises `PII_DENIED` at the limit of the session.
 * With `sharesNames`, a result that is a value of the session has its placeholder.
 */
export async function transformKnown(
  known: readonly Known[],
  steps: readonly NamedTransform[],
  { vault, maxTransforms = DEFAULT_MAX_TRANSFORMS }: TransformOptions,
  sharesNames = false,
): Promise<(string | null)[]> {
  if (known.length > 0 && (await vault.count('transforms', known.length)) > maxTransforms) {
    denied(
      'pii.transform',
      `this session has transformed ${maxTransforms} values, which is the limit. Start a new session`,
    );
  }
  const keys: (string | null)[] = [];
  const made = new Map<string, Made>();
  for (const one of known) {
    const result = await applied(one.spellings[0].text, steps);
    const key = result === null ? null : `${one.type} ${result}`;
    keys.push(key);
    if (key !== null && result !== null && !made.has(key)) made.set(key, { result, known: one, name: '' });
  }
  const wanted = [...made.values()];
  const shared = sharesNames
    ? wanted.filter(({ known: { type }, result }) => canonicalOf(type, result) === result)
    : [];
  await allocateAll(shared, vault, ({ result }) => result);
  const found = await vault.find(shared.map(({ name }) => name.slice(1, -1)));
  // A value with another spelling is not this text.
  const isSame = ({ name, result }: Made) => found.get(name.slice(1, -1))?.spellings[0].text === result;
  await allocateAll(
    wanted.filter((one) => !isSame(one)),
    vault,
    ({ result, known: { canonical } }) => transformedCanonical(result, canonical),
  );
  return keys.map((key) => (key === null ? null : (made.get(key)?.name ?? null)));
}

/** Returns the transforms for values without placeholders. */
export function transformPlain(values: readonly unknown[], names: readonly unknown[]): Promise<(string | null)[]> {
  const steps = stepsOf(names);
  return Promise.all(
    values.map((value) => (isAbsent(value) ? null : applied(plainText('pii.transform', value), steps))),
  );
}

/**
 * Returns the rank of each value, from 1, in the order of its transformed text; `null` for `null`. Equal values have equal ranks. Dates are
 * compared as dates. A value with the same neighbours as before costs nothing. Raises as {@link transform} does, `INVALID_ARGUMENTS` for placeholders
 * together with other texts, and `PII_DENIED` if the policy or the budget forbids it.
 */
export async function order(
  values: readonly unknown[],
  names: readonly unknown[],
  options: TransformOptions,
): Promise<(number | null)[]> {
  const steps = names.flat().length === 0 ? [] : stepsOf(names);
  const operands = await operandsOf('pii.sort', values, options);
  const known = knownOf(operands);
  if (known.length > 0 && operands.some((operand) => typeof operand === 'string')) {
    throw new PiiError(
      'INVALID_ARGUMENTS',
      'pii.sort takes placeholders, or texts without any: both together would reveal values.',
    );
  }
  const texts = operands.map((operand) => (typeof operand === 'object' ? operand && sortText(operand) : operand));
  const ranks = ranksOf(await Promise.all(texts.map((text) => (text === null ? null : applied(text, steps)))));
  const rankOf = new Map(operands.map((operand, index) => [operand, ranks[index] ?? null]));
  await admitOrder(
    known,
    known.map((one) => rankOf.get(one) ?? null),
    ['sort', ...names.flat()],
    options,
  );
  return ranks;
}

/** Returns the ranks of values without placeholders. */
export async function orderPlain(values: readonly unknown[], names: readonly unknown[]): Promise<(number | null)[]> {
  const steps = names.flat().length === 0 ? [] : stepsOf(names);
  const texts = values.map((value) => (isAbsent(value) ? null : applied(plainText('pii.sort', value), steps)));
  return ranksOf(await Promise.all(texts));
}

/** Returns the age in years at a date (default: today) of each date of birth; `null` for a text that is no clear date. */
export async function age(
  values: readonly unknown[],
  on: unknown,
  options: TransformOptions,
): Promise<(number | null)[]> {
  const day = dayOf(on);
  const operands = await operandsOf('pii.age', values, options);
  const known = knownOf(operands);
  const barred = known.find(({ type }) => !mayDerive(options.policy, type, 'year'));
  if (barred) denied('pii.age', `the policy does not allow the year of ${barred.type}`);
  await admit('pii.age', known, JSON.stringify(['age', isAbsent(on) ? null : day]), options);
  return operands.map((operand) => ageOf(typeof operand === 'object' ? operand?.spellings[0].text : operand, day));
}

export function agePlain(values: readonly unknown[], on: unknown): (number | null)[] {
  const day = dayOf(on);
  return values.map((value) => ageOf(isAbsent(value) ? undefined : plainText('pii.age', value), day));
}

/** Returns whether two values are equal, with `ignoreCase` in any case and with any separators. `null` equals only `null`. */
export async function equal(a: unknown, b: unknown, ignoresCase: boolean, options: TransformOptions): Promise<boolean> {
  const [left, right] = await operandsOf('pii.equal', [a, b], options);
  const textOf = (operand: Known | string | null | undefined) =>
    typeof operand === 'object' ? operand?.spellings[0].text : operand;
  const isKnown = (operand: Known | string | null | undefined) => typeof operand === 'object' && operand !== null;
  if (isKnown(left) !== isKnown(right) && textOf(left) !== undefined && textOf(right) !== undefined) {
    const [hidden, written] = isKnown(left) ? [a, right] : [b, left];
    const [isEqual = false] = await match([hidden], { equals: String(written), ignoreCase: ignoresCase }, options);
    return isEqual;
  }
  return equalTexts(textOf(left), textOf(right), ignoresCase);
}

export function equalPlain(a: unknown, b: unknown, ignoresCase: boolean): boolean {
  const [left, right] = [a, b].map((value) => (isAbsent(value) ? undefined : plainText('pii.equal', value)));
  return equalTexts(left, right, ignoresCase);
}

function equalTexts(a: string | undefined, b: string | undefined, ignoresCase: boolean): boolean {
  if (a === undefined || b === undefined) return a === b;
  return ignoresCase ? keyForm(a) === keyForm(b) : a === b;
}

function stepsOf(names: readonly unknown[]): readonly NamedTransform[] {
  const listed = names.flat();
  if (listed.length === 0 || listed.length > MAX_STEPS) {
    throw new PiiError(
      'INVALID_ARGUMENTS',
      `pii.transform takes 1 to ${MAX_STEPS} names of transforms, got ${listed.length}.`,
    );
  }
  return listed.map(transformNamed);
}

async function applied(text: string, steps: readonly NamedTransform[]): Promise<string | null> {
  let result: string | null = text;
  for (const { apply } of steps) result = result === null ? null : await apply(result);
  // No placeholder stands for an empty text.
  return result === '' ? null : result;
}

/** Returns the value of each placeholder, and all other texts as they are. */
async function operandsOf(
  called: string,
  values: readonly unknown[],
  { vault, types }: TransformOptions,
): Promise<(Known | string | null)[]> {
  const names = await mapInSlices(values, (value) => {
    if (isAbsent(value)) return undefined;
    const text = plainText(called, value);
    const [only, ...others] = readPlaceholders(text, types).filter(({ escapes }) => escapes === 0);
    if (only === undefined) return undefined;
    if (others.length === 0 && text.slice(0, only.start).trim() === '' && text.slice(only.end).trim() === '')
      return only.name;
    throw new PiiError(
      'INVALID_ARGUMENTS',
      `${called} takes a placeholder alone, such as "[EMAIL_1]", not a text that has one.`,
    );
  });
  const wanted = [...new Set(names.filter((name) => name !== undefined))];
  const known = wanted.length > 0 ? await vault.find(wanted) : new Map<string, Known>();
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) throw unknownPlaceholders(unknown);
  return names.map((name, index) => {
    if (name !== undefined) return known.get(name) ?? null;
    return isAbsent(values[index]) ? null : String(values[index]);
  });
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function plainText(called: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new PiiError('INVALID_ARGUMENTS', `${called} takes texts, or a list of texts.`);
}

function knownOf(operands: readonly (Known | string | null)[]): Known[] {
  return [...new Set(operands.filter((operand) => typeof operand === 'object' && operand !== null))];
}

/** A result, the value that it was computed from, and its placeholder. */
interface Made {
  readonly result: string;
  readonly known: Known;
  name: string;
}

/** Allocates the results, with the sources of the values that they were computed from. */
async function allocateAll(wanted: readonly Made[], vault: Vault, canonicalFor: (made: Made) => string): Promise<void> {
  const bySource = new Map<string | undefined, Made[]>();
  for (const one of wanted) {
    const sources = [...sourcesOf(one.known)];
    for (const source of sources.length > 0 ? sources : [undefined])
      bySource.set(source, [...(bySource.get(source) ?? []), one]);
  }
  for (const [source, ofSource] of bySource) {
    const found = ofSource.map((made) => {
      return { type: made.known.type, text: made.result, canonical: canonicalFor(made) };
    });
    const names = await vault.allocate(found, source);
    for (const [index, one] of ofSource.entries()) one.name = writePlaceholder(names[index] ?? '');
  }
}

/** Charges and audits an answer about each value. Raises `PII_DENIED`. */
export async function admit(
  called: string,
  known: readonly Known[],
  condition: string | readonly string[],
  options: TransformOptions,
): Promise<void> {
  const { policy, budget, vault } = options;
  if (known.length === 0) return;
  const barred = known.find(({ type }) => !mayDerive(policy, type, 'match'));
  if (barred) denied(called, `the policy does not allow it for ${barred.type}. Use the placeholder itself`);
  const guessed = await budget.compare(known, condition);
  if (guessed) {
    const reason = `the programs of this user have had ${MAX_ANSWERS} answers about [${guessed.name}], which is the limit for one value in a year`;
    denied(called, reason);
  }
  await audited(options.audit, async (audit) => {
    await mapInSlices(known, (one) => void matchAudit(vault, audit)(one));
  });
}

/**
 * Charges the order of values. The rank of a value among others shows only that it is between its two neighbours, or equal to one. So a list
 * with more values costs those that have another neighbour. Raises `PII_DENIED`.
 */
export async function admitOrder(
  known: readonly Known[],
  ranks: readonly (number | null)[],
  order: readonly unknown[],
  options: TransformOptions,
): Promise<void> {
  const groups = new Map<number, string[]>();
  const texts = known.map(({ type, spellings: [{ text }] }) => `${type} ${text}`);
  for (const [index, rank] of ranks.entries()) {
    if (rank !== null) groups.set(rank, [...(groups.get(rank) ?? []), texts[index] ?? ''].sort().slice(0, 2));
  }
  const conditions = ranks.map((rank, index) => {
    if (rank === null) return JSON.stringify([...order, null]);
    const same = groups.get(rank)?.find((text) => text !== texts[index]);
    const nearest = [groups.get(rank - 1)?.[0], same, groups.get(rank + 1)?.[0]];
    return JSON.stringify([...order, ...nearest.map((text) => text ?? null)]);
  });
  await admit('pii.sort', known, conditions, options);
}

export function denied(called: string, reason: string): never {
  throw new PiiError('PII_DENIED', `${called} is denied: ${reason}.`);
}

function sortText({ type, spellings: [{ text }] }: Known): string {
  return type === 'DATE_OF_BIRTH' ? (isoDate(text) ?? text) : text;
}

/** Made on its first use, which takes some milliseconds. */
let collator: Intl.Collator | undefined;

function ranksOf(texts: readonly (string | null)[]): (number | null)[] {
  collator ??= new Intl.Collator('en', { numeric: true });
  const { compare } = collator;
  const distinct = [...new Set(texts.filter((text) => text !== null))].sort(
    (a, b) => compare(a, b) || (a < b ? -1 : 1),
  );
  const ranks = new Map(distinct.map((text, index) => [text, index + 1]));
  return texts.map((text) => (text === null ? null : (ranks.get(text) ?? null)));
}

function dayOf(on: unknown): string {
  if (isAbsent(on)) return new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const day = typeof on === 'string' ? isoDate(on) : null;
  if (day === null)
    throw new PiiError('INVALID_ARGUMENTS', 'pii.age takes a date such as "2025-06-30", or none for today.');
  return day;
}

function ageOf(text: string | undefined | null, day: string): number | null {
  const born = isAbsent(text) ? null : isoDate(String(text));
  if (born === null) return null;
  const years = Number(day.slice(0, 4)) - Number(born.slice(0, 4));
  return day.slice(4) < born.slice(4) ? years - 1 : years;
}
