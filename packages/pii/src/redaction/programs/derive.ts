import type { Span } from '../../detection/detector.ts';
import { loadRules } from '../../detection/load-rules.ts';
import { PiiError } from '../../errors.ts';
import { type Audit, type AuditSink, audited } from '../../policy/audit.ts';
import { type Derivation, mayDerive, type PiiPolicy } from '../../policy/policy.ts';
import { mapInSlices } from '../../slices.ts';
import { canonicalOf } from '../../vault/canonical.ts';
import type { Known, Vault } from '../../vault/vault.ts';
import { lastFour, maskOf } from '../mask.ts';
import { unknownPlaceholders } from '../restore.ts';

/** Derivations of one session. The limit exists because many derivations together reveal a value. */
export const DEFAULT_MAX_DERIVATIONS = 10_000;

export interface DeriveOptions {
  readonly vault: Vault;
  readonly policy: PiiPolicy;
  readonly audit: AuditSink;
  /** Default: `DEFAULT_MAX_DERIVATIONS`. */
  readonly max?: number;
}

/**
 * Returns a property of each value without the value, computed on the host. Returns `null` for a value without the
 * property: a national phone number has no country. `sortKey` is the rank of a value among the values of the
 * call. Raises `UNKNOWN_PLACEHOLDER`, or `PII_DENIED` if the policy or the limit of the
 * session forbids it.
 */
export function derive(names: readonly string[], derivation: Derivation, options: DeriveOptions): Promise<Derived[]> {
  return audited(options.audit, (audit) => deriveAudited(names, derivation, { ...options, audit }));
}

async function deriveAudited(
  names: readonly string[],
  derivation: Derivation,
  { vault, policy, audit, max = DEFAULT_MAX_DERIVATIONS }: Omit<DeriveOptions, 'audit'> & { readonly audit: Audit },
): Promise<Derived[]> {
  const found = await vault.find(names);
  const unknown = names.filter((name) => !found.has(name));
  const record = (known: { name: string; type: string }, event: 'derivation' | 'denial', reason?: string) =>
    audit({
      ...vault.owner,
      at: new Date().toISOString(),
      event,
      placeholder: known.name,
      type: known.type,
      derivation,
      reason,
    });
  await mapInSlices(unknown, (name) =>
    record({ name, type: name.replace(/_\d+$/, '') }, 'denial', 'unknown placeholder'),
  );
  if (unknown.length > 0) throw unknownPlaceholders(unknown);

  const values = names.flatMap((name) => found.get(name) ?? []);
  const refuse = async (refused: readonly Known[], reason: string, next: string) => {
    await mapInSlices(refused, (known) => record(known, 'denial', reason));
    throw new PiiError('PII_DENIED', `${derivation} is denied: ${reason}. ${next}`);
  };
  const barred = values.filter(({ type }) => !mayDerive(policy, type, derivation));
  const [first] = barred;
  if (first) await refuse(barred, `the policy does not allow it for ${first.type}`, 'Use the placeholder itself.');
  const used = await vault.count('derivations', values.length);
  if (used > max)
    await refuse(
      values,
      `this call would be derivation ${used} of this session, and the limit is ${max}`,
      'Start a new session.',
    );
  await mapInSlices(values, (known) => record(known, 'derivation'));
  return derived(values, derivation);
}

/** Returns a property of each value, for programs that receive the values themselves. The detector decides the types. */
export async function derivePlain(values: readonly string[], derivation: Derivation): Promise<Derived[]> {
  const { detectText } = await loadRules();
  return derived(
    values.map((value) => plainValue(value, detectText)),
    derivation,
  );
}

function plainValue(value: string, detectText: (text: string) => readonly Span[]): Known {
  const text = value.trim();
  const whole = detectText(text).find(({ start, end }) => start === 0 && end === text.length);
  const type = whole?.type ?? 'TEXT';
  return { name: text, type, numeric: false, canonical: canonicalOf(type, text), spellings: [{ text, sources: [] }] };
}

async function derived(values: readonly Known[], derivation: Derivation): Promise<Derived[]> {
  if (derivation !== 'sortKey') return Promise.all(await mapInSlices(values, (known) => RULES[derivation](known)));
  return ranksOf(values);
}

type Derived = string | number | null;
type Rule = (known: Known) => Derived | Promise<Derived>;

const RULES: Readonly<Record<Exclude<Derivation, 'sortKey'>, Rule>> = {
  domain: (known) => (known.type === 'EMAIL' ? (/@([^@]+)$/.exec(canonicalText(known))?.[1] ?? null) : null),
  last4: ({ spellings: [{ text }] }) => lastFour(text) ?? null,
  async country(known) {
    const { type, spellings } = known;
    if (type === 'IBAN') return /^[A-Z]{2}/.exec(canonicalText(known))?.[0] ?? null;
    if (type !== 'PHONE') return null;
    const countries = await Promise.all(spellings.map(({ text }) => countryOfPhone(text)));
    return countries.find(Boolean) ?? null;
  },
  mask: ({ type, spellings: [{ text }] }) => maskOf(type, text),
  length: ({ spellings: [{ text }] }) => [...text].length,
  year: ({ spellings: [{ text }] }) => Number(/(?<!\d)(?:19|20)\d\d(?!\d)/.exec(text)?.[0] ?? 0) || null,
};

/** Returns the canonical text of a value. A transformed value has another one in its record. */
function canonicalText({ type, spellings: [{ text }] }: Known): string {
  return canonicalOf(type, text);
}

/** Made on its first use, which takes some milliseconds. */
let collator: Intl.Collator | undefined;

/** Returns the rank of each value among them, from 1. Equal values have equal ranks. */
function ranksOf(values: readonly Known[]): number[] {
  const distinct = [...new Map(values.map((known) => [known.name, known])).values()];
  collator ??= new Intl.Collator('en', { numeric: true });
  const { compare } = collator;
  const sorted = distinct.sort(
    (a, b) => compare(canonicalText(a), canonicalText(b)) || (a.canonical < b.canonical ? -1 : 1),
  );
  const ranks = new Map(sorted.map(({ name }, index) => [name, index + 1]));
  return values.map(({ name }) => ranks.get(name) ?? 0);
}

/** Returns the country of a phone number with an international prefix (`+49…`, `0049…`), in two letters. */
export async function countryOfPhone(text: string): Promise<string | undefined> {
  const [, number] = /^\s*(?:\+|00)([\d\s()._/-]+)/.exec(text) ?? [];
  if (number === undefined) return undefined;
  // Loading the rules of all countries takes 30 ms and 3 MB of memory.
  const { parsePhoneNumber } = await import('awesome-phonenumber');
  const { regionCode = '' } = parsePhoneNumber(`+${number.replaceAll(/[_/]/g, ' ')}`);
  // Numbers of no country, such as +800, have the region "001".
  return /^[A-Z]{2}$/.test(regionCode) ? regionCode : undefined;
}
