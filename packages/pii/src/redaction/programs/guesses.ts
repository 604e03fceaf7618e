import { PiiError } from '../../errors.ts';
import { type Leaf, visitSteps } from '../../json-walk.ts';
import { MAX_PATTERN_UNITS } from '../../known-values/patterns.ts';
import { createIndex, scanSteps } from '../../known-values/value-index.ts';
import { partEnd } from '../../placeholder.ts';
import type { AuditSink } from '../../policy/audit.ts';
import { atOnceIfShort, inSlices, joinSteps, mapInSlices, type Steps } from '../../slices.ts';
import { plainForm } from '../../vault/canonical.ts';
import { sourcesOf } from '../../vault/records/record.ts';
import type { Known, Vault } from '../../vault/vault.ts';

/** Values of tools that the programs of one user may write in a month without having received them. */
const MAX_GUESSES = 1_000;
/** Values that they may write in all. */
const MAX_WRITTEN = 10_000;

/** Letters and digits of the shortest value that counts: shorter ones are in many texts. */
const MIN_ECHO = 4;
/** Values that are read between two yields. */
const FEW_VALUES = 64;
const PLACEHOLDERS = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]/g;

/** Audits that a value was compared; with a reason, that this was denied. The comparison waits for the record. */
export type MatchAudit = (known: Known, reason?: string) => void | Promise<void>;

/** Returns the audit of comparisons in one session. */
export function matchAudit(vault: Vault, audit: AuditSink): MatchAudit {
  return ({ name, type }, reason) =>
    audit({
      ...vault.owner,
      at: new Date().toISOString(),
      event: reason === undefined ? 'derivation' : 'denial',
      placeholder: name,
      type,
      derivation: 'match',
      reason,
    });
}

export interface GuessOptions {
  readonly vault: Vault;
  /** Counts for all sessions of the user. */
  readonly budget: { readonly count: (counter: string, amount: number) => Promise<number> };
  readonly record: MatchAudit;
}

/**
 * Counts values that a program wrote without having received them, right guesses and wrong ones. Whether one equals a value of a tool
 * shows in its placeholder. Raises `PII_DENIED` after 10,000 of a user in a month, or after 1,000 that are values of tools.
 */
export async function countGuesses(names: readonly string[], { vault, budget, record }: GuessOptions): Promise<void> {
  if (names.length === 0) return;
  const found = [...(await vault.find(names)).values()];
  const isRight = await mapInSlices(found, (known) => sourcesOf(known).size > 0);
  const right = found.filter((_, index) => isRight[index]);
  const isTooMany =
    (await budget.count('written', found.length)) > MAX_WRITTEN ||
    (await budget.count('guesses', right.length)) > MAX_GUESSES;
  const reason = isTooMany ? 'the programs of this user guess values' : undefined;
  await Promise.all(await mapInSlices(right, (known) => record(known, reason)));
  if (!isTooMany) return;
  throw new PiiError(
    'PII_DENIED',
    `The programs of this user wrote more than ${MAX_WRITTEN} values in this month that they had not received, or more than ${MAX_GUESSES} values of tools. Get the values from the tool.`,
  );
}

/** Returns the names of the values that a tool returned because a program wrote them, in any case and with any separators. */
export async function echoedNames(args: unknown, returned: ReadonlyMap<string, Known>): Promise<string[]> {
  return inSlices(echoSteps(args, returned));
}

function* echoSteps(args: unknown, returned: ReadonlyMap<string, Known>): Steps<string[]> {
  const written = yield* writtenSteps(args);
  if (written.length < MIN_ECHO) return [];
  /** The names of the values by their letters and digits. A long value is found by its beginning. */
  const names = new Map<string, string[]>();
  const index = createIndex();
  let count = 0;
  for (const { name, spellings } of returned.values()) {
    if (++count % FEW_VALUES === 0) yield;
    for (const { text } of spellings) {
      const folded = yield* beginningSteps(text);
      if (folded.length < MIN_ECHO || folded.length > written.length) continue;
      const same = names.get(folded);
      if (same) same.push(name);
      else {
        names.set(folded, [name]);
        index.add({ name, folded, edges: false, words: false, exact: undefined });
      }
    }
  }
  const echoed = new Set<string>();
  // A value inside of another one counts, too.
  yield* scanSteps(index, written, (_start, _end, { folded }) => {
    for (const name of names.get(folded) ?? []) echoed.add(name);
    names.delete(folded);
    return false;
  });
  return [...returned.keys()].filter((name) => echoed.has(name));
}

/** Returns the letters and digits of all texts, numbers and keys of a value, without placeholders. */
function* writtenSteps(value: unknown): Steps<string> {
  const parts: string[] = [];
  function* add(text: string): Steps {
    for (let at = 0; at < text.length; ) {
      const end = partEnd(text, at);
      parts.push(plainForm(text.slice(at, end).replaceAll(PLACEHOLDERS, '')));
      at = end;
      yield;
    }
  }
  const read = (leaf: Leaf) => atOnceIfShort(String(leaf).length, add(String(leaf)));
  yield* visitSteps(value, { leaf: read, key: read });
  return yield* joinSteps(parts);
}

/** Returns the letters and digits of a text, or those that a long text begins with. */
function* beginningSteps(text: string): Steps<string> {
  let form = '';
  for (let at = 0; at < text.length && form.length < MAX_PATTERN_UNITS; at = partEnd(text, at)) {
    if (at > 0) yield;
    form += plainForm(text.slice(at, partEnd(text, at)));
  }
  return form.slice(0, MAX_PATTERN_UNITS);
}
