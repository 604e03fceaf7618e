import { PiiError } from '../errors.ts';
import { type Known, sourcesOf } from '../vault/record.ts';

/** What becomes of a placeholder in the arguments of a tool: its value, itself, a masked form, or a refusal. */
export type Treatment = 'allow' | 'placeholder' | 'mask' | 'deny';

/** What can be told of a value without the value. */
export type Derivation = 'domain' | 'last4' | 'country' | 'mask' | 'length' | 'year' | 'sortKey';

/** The rules of personal data. Every part may be left out. */
export interface PiiPolicy {
  /**
   * Tool → type → treatment. A tool is named in full (`mail__send`) or with wildcards (`mail__*`, `*`), a type in full or
   * as `*`. The tool with most letters decides, in it the type in full before `*`; a tool that says nothing of a type
   * leaves it to the next. `*` as a type is never about guarded ones: those are named.
   */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, Treatment>>>>;
  /** Server → servers that its values may flow to, besides itself; `*` is any. A server that is not here may flow to all. */
  readonly flows?: Readonly<Record<string, readonly string[]>>;
  /** Type → derivations that are allowed, in place of the default ones; `*` is every type that is not here. */
  readonly derivations?: Readonly<Record<string, readonly Derivation[]>>;
}

/** Types whose values no tool gets unless the policy names the type. */
export const RESTRICTED_TYPES: ReadonlySet<string> = new Set([
  'SECRET',
  'SSN',
  'CREDIT_CARD',
  'NATIONAL_ID',
  'PASSPORT',
]);

/** Derivations that are allowed where the policy says nothing. */
export const DEFAULT_DERIVATIONS: Readonly<Record<string, readonly Derivation[]>> = {
  SECRET: [],
  SSN: ['mask'],
  NATIONAL_ID: ['mask'],
  PASSPORT: ['mask'],
  CREDIT_CARD: ['last4', 'mask'],
  IBAN: ['country', 'last4', 'mask'],
  PHONE: ['country', 'last4', 'mask', 'sortKey'],
  EMAIL: ['domain', 'mask', 'length', 'sortKey'],
  DATE_OF_BIRTH: ['year', 'mask', 'sortKey'],
  NAME: ['mask', 'length', 'sortKey'],
  '*': ['mask', 'length', 'sortKey'],
};

/** Everything that can become of a placeholder in arguments. */
export const TREATMENTS: readonly Treatment[] = ['allow', 'placeholder', 'mask', 'deny'];
/** Everything that can be derived. */
export const DERIVATIONS: readonly Derivation[] = ['domain', 'last4', 'country', 'mask', 'length', 'year', 'sortKey'];

/** A decision, with the reason of a refusal. */
export interface Decision {
  readonly treatment: Treatment;
  readonly reason?: string;
}

/** Checks what a configuration holds. Raises `CONFIG_INVALID` for a word that is none of the policy's. */
export function checkPolicy(policy: PiiPolicy): PiiPolicy {
  const words = [
    ...Object.values(policy.tools ?? {}).flatMap((row) =>
      Object.values(row).map((word) => [word, TREATMENTS as readonly string[]] as const),
    ),
    ...Object.values(policy.derivations ?? {}).flatMap((list) =>
      list.map((word) => [word, DERIVATIONS as readonly string[]] as const),
    ),
  ];
  for (const [word, allowed] of words) {
    if (allowed.includes(word)) continue;
    throw new PiiError('CONFIG_INVALID', `pii.policy: "${word}" is none of: ${allowed.join(', ')}.`);
  }
  return policy;
}

/** Decides what a tool gets of a value. `tool` is `server__tool`, `server` its server. */
export function decide(policy: PiiPolicy, known: Known, tool: string, server: string): Decision {
  const treatment = treatmentOf(policy, known.type, tool);
  if (treatment === 'deny') return { treatment, reason: `the policy gives no ${known.type} to ${tool}` };
  if (treatment === 'placeholder') return { treatment };
  for (const source of sourcesOf(known)) {
    const targets = own(policy.flows, source);
    if (targets === undefined || source === server || targets.includes(server) || targets.includes('*')) continue;
    return { treatment: 'deny', reason: `values from ${source} may not flow to ${server}` };
  }
  return { treatment };
}

/** Tells whether something may be derived from values of a type. */
export function mayDerive({ derivations = {} }: PiiPolicy, type: string, derivation: Derivation): boolean {
  const allowed =
    own(derivations, type) ??
    (RESTRICTED_TYPES.has(type) ? undefined : own(derivations, '*')) ??
    own(DEFAULT_DERIVATIONS, type) ??
    own(DEFAULT_DERIVATIONS, '*') ??
    [];
  return allowed.includes(derivation);
}

function treatmentOf({ tools = {} }: PiiPolicy, type: string, tool: string): Treatment {
  const isRestricted = RESTRICTED_TYPES.has(type);
  const rows = Object.entries(tools)
    .filter(([pattern]) => fits(pattern, tool))
    .sort(([a], [b]) => letters(b) - letters(a));
  for (const [, row] of rows) {
    const treatment = own(row, type) ?? (isRestricted ? undefined : own(row, '*'));
    if (treatment) return treatment;
  }
  return isRestricted ? 'deny' : 'allow';
}

/** Tells whether a name fits a pattern in which `*` is any text; linear, whatever the pattern. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function letters(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}

function own<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table && Object.hasOwn(table, key) ? table[key] : undefined;
}
