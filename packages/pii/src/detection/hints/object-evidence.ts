import type { KeyFacts } from './key-facts.ts';
import { isPersonalName } from './personal-names.ts';
import { EVIDENCE, typeEvidence } from './persons.ts';

/** The strongest evidence of the entries of an object that it is a person, and that it is a thing. */
export interface ObjectEvidence {
  person: number;
  thing: number;
  /** The value of `login` or a similar key: a `name` that repeats it is the name of an account. */
  account: string | undefined;
}

/** Addresses of systems: they prove no person. */
const NO_REPLY = /^(?:no-?reply|do-?not-?reply|support|info|sales|admin|hello|contact|team|bot)\b|noreply/i;

/** Returns evidence without entries. */
export function noEvidence(): ObjectEvidence {
  return { person: 0, thing: 0, account: undefined };
}

/** Adds the evidence of one entry. `value` is its text, or undefined for other values. */
export function addEntry(evidence: ObjectEvidence, facts: KeyFacts, value: string | undefined): void {
  const { hint, kind, account, key } = facts;
  if (!(hint === 'EMAIL' && value !== undefined && NO_REPLY.test(value))) add(evidence, facts.evidence);
  if (value === undefined) return;
  // A `kind` is often the kind of an error or a message: "user" is the party that it concerns.
  if (kind) add(evidence, key === 'kind' ? Math.min(typeEvidence(value), EVIDENCE.weak) : typeEvidence(value));
  if (account) evidence.account = value;
  // The full name of a repository.
  if (value.includes('/') && key.toLowerCase().replace(/[_-]/g, '') === 'fullname') add(evidence, -EVIDENCE.certain);
}

/** Checks whether the value of a key such as `name` is the name of a person. `inside` is the evidence of the parent key. */
export function isNameOf(
  value: string,
  { name, key }: KeyFacts,
  inside: number,
  evidence: ObjectEvidence | undefined,
): boolean {
  // The header of a column is its own key.
  if (name === undefined || value === evidence?.account || value === key) return false;
  const person = Math.max(name, inside, evidence?.person ?? 0);
  const thing = Math.max(-inside, evidence?.thing ?? 0);
  // An order with a `customer_name` is a thing, but the name is not its own.
  return isPersonalName(value, person, name === EVIDENCE.named ? Math.min(thing, person) : thing);
}

function add(evidence: ObjectEvidence, level: number): void {
  evidence.person = Math.max(evidence.person, level);
  evidence.thing = Math.max(evidence.thing, -level);
}
