import { createHash } from 'node:crypto';
import { type LinearPattern, linearPattern } from '../../detection/linear-pattern.ts';
import { messageOf, PiiError } from '../../errors.ts';
import { writePlaceholder } from '../../placeholder.ts';
import { mayDerive } from '../../policy/policy.ts';
import { canonicalOf, isTransformed, plainForm, plainOriginal } from '../../vault/canonical.ts';
import { sourcesOf } from '../../vault/records/record.ts';
import type { Known } from '../../vault/vault.ts';
import { lastFour } from '../mask.ts';
import { admit, type TransformOptions, transformKnown } from './transform.ts';

/** A text of the host for one value: a placeholder, a fact, or `null`; `undefined` if it must be asked for by itself. */
type Part = string | null | undefined;
type Cut = (text: string) => string | null;

/** Results with fewer letters and digits are not found again in the answers of tools. */
const MIN_FOUND = 6;
/** Answers that one character of such a result costs: a tool that returns it shows it. */
const ANSWERS_PER_CHARACTER = 2;
const MAX_PIECES = 8;
const MAX_REPLACEMENT = 100;
const HASHES = new Set(['md5', 'sha1', 'sha256']);

/**
 * Returns placeholders of parts of values; `null` for a value without the part. A fact that the policy allows is returned as text, and a whole
 * value as its placeholder. Charges one answer for each value, and more for parts that a tool could show. These are computed for the first
 * value only. The others are `undefined`. Raises `PII_DENIED`.
 */
export async function partsOf(
  known: readonly Known[],
  cut: Cut,
  condition: readonly unknown[],
  options: TransformOptions,
): Promise<Part[]> {
  const texts = known.map((one) => cut(textOf(one)));
  const plain = known.map((one, at) => {
    const text = texts[at] ?? null;
    if (text === textOf(one)) return writePlaceholder(one.name);
    return !text || isFact(one, text, options) ? text : undefined;
  });
  const prices = texts.map((text, at) => (plain[at] === undefined ? priceOf(text) : 1));
  const isWanted = (at: number) => at === 0 || prices[at] === 1;
  for (let paid = 0; paid < Math.max(1, prices[0] ?? 1); paid++) {
    const payers = known.filter((_, at) => isWanted(at) && (prices[at] ?? 0) > paid);
    await admit('pii.transform', payers, JSON.stringify([...condition, paid]), options);
  }
  const made = known.filter((_, at) => isWanted(at) && plain[at] === undefined);
  const names = (await transformKnown(made, [{ apply: cut, isPart: true }], options)).values();
  return plain.map((text, at) =>
    text === undefined ? (isWanted(at) ? (names.next().value ?? null) : undefined) : text,
  );
}

/** Returns a group of the first match of a pattern, 0 for the whole match; `null` for a value without it. */
export function groupOf(
  known: readonly Known[],
  [index, source, flags]: readonly unknown[],
  options: TransformOptions,
): Promise<Part[]> {
  const pattern = compiled(source, flags);
  if (!(Number(index) <= pattern.matcher('').groupCount())) throw new PiiError('INVALID_ARGUMENTS', 'No such group.');
  const cut = (text: string) => {
    const matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(Number(index)) : null;
  };
  return partsOf(known, cut, ['group', index, source, flags], options);
}

/** Returns the pieces of texts between separators of one character. Only values with as many pieces as the first have a result. */
export async function piecesOf(
  known: readonly Known[],
  separator: unknown,
  options: TransformOptions,
): Promise<(readonly Part[] | null | undefined)[]> {
  const pieces = known.map((one) => textOf(one).split(String(separator)).length);
  const [wanted = 0] = pieces;
  if (String(separator).length !== 1 || wanted > MAX_PIECES) return known.map(() => null);
  // Only values with as many pieces as the wanted one.
  const same = known.filter((_, at) => pieces[at] === wanted);
  const lists = new Map<Known, Part[]>(same.map((one) => [one, []]));
  for (let index = 0; index < wanted; index++) {
    const cut = (text: string) => text.split(String(separator))[index] ?? null;
    const parts = await partsOf(same, cut, ['piece', separator, index], options);
    for (const [at, one] of same.entries()) lists.get(one)?.push(parts[at]);
  }
  return known.map((one) => {
    const list = lists.get(one);
    return list?.includes(undefined) ? undefined : list?.includes(null) ? null : list;
  });
}

/** Returns placeholders of texts in which the matches of a pattern are replaced. `$1` stands for a group. */
export function replacedIn(
  known: readonly Known[],
  [source, flags, replacement]: readonly unknown[],
  options: TransformOptions,
): Promise<Part[]> {
  const pattern = compiled(source, flags);
  const isText = typeof replacement === 'string' && replacement.length <= MAX_REPLACEMENT;
  if (!isText) throw new PiiError('INVALID_ARGUMENTS', 'The replacement is no short text.');
  const cut = (text: string) => {
    const matcher = pattern.matcher(text);
    return String(flags).includes('g') ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement);
  };
  return partsOf(known, cut, ['replaced', source, flags, replacement], options);
}

/** Returns placeholders of all matches of a pattern, joined by a text. */
export function joinedMatches(
  known: readonly Known[],
  [source, flags, separator]: readonly unknown[],
  options: TransformOptions,
): Promise<Part[]> {
  const pattern = compiled(source, flags);
  const cut = (text: string) => {
    const matcher = pattern.matcher(text);
    const found: string[] = [];
    while (matcher.find()) found.push(matcher.group() ?? '');
    return found.length > 0 ? found.join(String(separator)) : null;
  };
  return partsOf(known, cut, ['joined', source, flags, separator], options);
}

/** Returns placeholders of hashes in hexadecimal. */
export async function hashesOf(
  known: readonly Known[],
  algorithm: unknown,
  options: TransformOptions,
): Promise<Part[] | undefined> {
  if (!HASHES.has(String(algorithm))) return undefined;
  const apply = (text: string) => createHash(String(algorithm)).update(text).digest('hex');
  return transformKnown(known, [{ apply, isPart: false }], options);
}

/**
 * Returns for each computed value the placeholder that its text has elsewhere: a phone number as digits has that of the number. `null` for
 * parts, and for values that were not computed.
 */
export async function originalsOf(known: readonly Known[], { vault }: TransformOptions): Promise<Part[]> {
  const names: Part[] = [];
  for (const one of known) {
    const text = textOf(one);
    const isSpelling = isTransformed(one.canonical) && plainForm(text) === plainOriginal(one.canonical);
    const found = { type: one.type, text, canonical: canonicalOf(one.type, text) };
    const [name] = isSpelling ? await vault.allocate([found], [...sourcesOf(one)][0]) : [];
    names.push(name === undefined ? null : writePlaceholder(name));
  }
  return names;
}

function textOf({ spellings: [{ text }] }: Known): string {
  return text;
}

/** Returns whether a part of a value is a fact that the policy allows. */
function isFact({ type, spellings: [{ text }] }: Known, part: string | null, { policy }: TransformOptions): boolean {
  if (!part) return false;
  switch (type) {
    case 'EMAIL': {
      const domain = text.slice(text.lastIndexOf('@') + 1);
      return (
        (part === domain || domain.endsWith(`.${part}`) || domain.startsWith(`${part}.`)) &&
        mayDerive(policy, type, 'domain')
      );
    }
    case 'DATE_OF_BIRTH':
      return /^(?:19|20)\d\d$/.test(part) && text.includes(part) && mayDerive(policy, type, 'year');
    case 'PHONE':
      return part === lastFour(text) && mayDerive(policy, type, 'last4');
    default:
      return false;
  }
}

/** Returns the answers that a result costs. A longer one is found in the answers of tools. */
function priceOf(text: string | null): number {
  const characters = plainForm(text ?? '').length;
  return text && characters < MIN_FOUND ? ANSWERS_PER_CHARACTER * Math.max(1, text.length) : 1;
}

function compiled(source: unknown, flags: unknown): LinearPattern {
  try {
    return linearPattern(String(source), String(flags));
  } catch (error) {
    throw new PiiError('INVALID_ARGUMENTS', messageOf(error));
  }
}
