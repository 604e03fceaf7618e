import { PiiError } from '../errors.ts';
import { type Known, sourcesOf } from '../vault/records/record.ts';

/** How a placeholder in the arguments of a tool is treated: replaced by its value, kept, masked, or denied. */
export type Treatment = 'allow' | 'placeholder' | 'mask' | 'deny';

/** A property of a value that programs can read without the value. */
export type Derivation = 'domain' | 'last4' | 'country' | 'mask' | 'length' | 'year' | 'sortKey';

/** A fact about a value that the policy allows programs: a derivation, or whether the value fulfils a condition. */
export type Fact = Derivation | 'match';

/** The rules for personal data. All parts are optional. */
export interface PiiPolicy {
  /**
   * Tool → type → treatment. A tool is named in full (`mail__send`) or with wildcards (`mail__*`, `*`), a type in full or
   * as `*`. The pattern with the most letters decides, and in it a type in full before `*`. A pattern without a rule for the
   * type leaves the decision to the next. The type `*` does not include {@link RESTRICTED_TYPES}: name those.
   */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, Treatment>>>>;
  /** Server → other servers that may receive its values; `*` is any. Values of a server without a rule may go to all. */
  readonly flows?: Readonly<Record<string, readonly string[]>>;
  /** Type → allowed facts, in place of the defaults; `*` is every type without a rule. */
  readonly derivations?: Readonly<Record<string, readonly Fact[]>>;
}

/** Types that are denied to every tool, but those of the server that returned the value, unless the policy names the type. */
export const RESTRICTED_TYPES: ReadonlySet<string> = new Set([
  'SECRET',
  'SSN',
  'CREDIT_CARD',
  'NATIONAL_ID',
  'PASSPORT',
]);

/** Facts that are allowed without a rule in the policy. */
export const DEFAULT_DERIVATIONS: Readonly<Record<string, readonly Fact[]>> = {
  SECRET: [],
  SSN: ['mask'],
  NATIONAL_ID: ['mask'],
  PASSPORT: ['mask'],
  CREDIT_CARD: ['last4', 'mask'],
  IBAN: ['country', 'last4', 'mask', 'match'],
  PHONE: ['country', 'last4', 'mask', 'match'],
  EMAIL: ['domain', 'mask', 'length', 'match'],
  DATE_OF_BIRTH: ['year', 'mask', 'match'],
  NAME: ['mask', 'length', 'match'],
  '*': ['mask', 'length', 'match'],
};

/** All treatments. */
export const TREATMENTS: readonly Treatment[] = ['allow', 'placeholder', 'mask', 'deny'];
/** All derivations. */
export const DERIVATIONS: readonly Derivation[] = ['domain', 'last4', 'country', 'mask', 'length', 'year', 'sortKey'];
/** All facts. */
export const FACTS: readonly Fact[] = [...DERIVATIONS, 'match'];

/** A decision, with the reason of a denial or of an exception. */
export interface Decision {
  readonly treatment: Treatment;
  readonly reason?: string;
}

/** Checks a policy from a configuration and returns it. Raises `CONFIG_INVALID` for an unknown treatment or derivation. */
export function checkPolicy(policy: PiiPolicy): PiiPolicy {
  const words = [
    ...Object.values(policy.tools ?? {}).flatMap((row) =>
      Object.values(row).map((word) => [word, TREATMENTS as readonly string[]] as const),
    ),
    ...Object.values(policy.derivations ?? {}).flatMap((list) =>
      list.map((word) => [word, FACTS as readonly string[]] as const),
    ),
  ];
  for (const [word, allowed] of words) {
    if (allowed.includes(word)) continue;
    throw new PiiError('CONFIG_INVALID', `pii.policy contains "${word}". Use one of: ${allowed.join(', ')}.`);
  }
  return policy;
}

/** Decides how a value is treated for a tool. `tool` is `server__tool`, `server` its server. */
export function decide(policy: PiiPolicy, known: Known, tool: string, server: string): Decision {
  const rule = ruleFor(policy, known.type, tool);
  if (rule === undefined && RESTRICTED_TYPES.has(known.type) && sourcesOf(known).has(server)) {
    return { treatment: 'allow', reason: `${server} returned the value` };
  }
  const treatment = rule ?? (RESTRICTED_TYPES.has(known.type) ? 'deny' : 'allow');
  if (treatment === 'deny') return { treatment, reason: `the policy denies ${known.type} to ${tool}` };
  if (treatment === 'placeholder') return { treatment };
  for (const source of sourcesOf(known)) {
    const targets = own(policy.flows, source);
    if (targets === undefined || source === server || targets.includes(server) || targets.includes('*')) continue;
    return { treatment: 'deny', reason: `the policy does not allow values from ${source} to be sent to ${server}` };
  }
  return { treatment };
}

/** Checks whether a fact is allowed for a type. */
export function mayDerive({ derivations = {} }: PiiPolicy, type: string, fact: Fact): boolean {
  const allowed =
    own(derivations, type) ??
    (RESTRICTED_TYPES.has(type) ? undefined : own(derivations, '*')) ??
    own(DEFAULT_DERIVATIONS, type) ??
    own(DEFAULT_DERIVATIONS, '*') ??
    [];
  return allowed.includes(fact);
}

/** Returns the treatment by the rule that decides; undefined without one. */
function ruleFor({ tools = {} }: PiiPolicy, type: string, tool: string): Treatment | undefined {
  const isRestricted = RESTRICTED_TYPES.has(type);
  const rows = Object.entries(tools)
    .filter(([pattern]) => fits(pattern, tool))
    .sort(([a], [b]) => letters(b) - letters(a));
  for (const [, row] of rows) {
    const forAll = own(row, '*');
    const treatment = own(row, type) ?? (isRestricted && forAll !== 'deny' ? undefined : forAll);
    if (treatment) return treatment;
  }
  return undefined;
}

/** Checks whether a name matches a pattern in which `*` is any text. Takes linear time for every pattern. */
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
