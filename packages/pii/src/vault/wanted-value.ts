import { PART_ITEMS, type Steps } from '../slices.ts';
import { canonicalOf } from './canonical.ts';
import type { Contents } from './contents.ts';
import type { FoundValue } from './found-value.ts';
import type { VaultOwner } from './keys/session-key.ts';
import type { Names } from './records/names.ts';
import type { Known } from './records/record.ts';
import { identityOf } from './records/record-cache.ts';
import type { Store } from './store.ts';

/** One distinct value of an allocation, with all of its spellings. */
export interface WantedValue {
  readonly type: string;
  readonly numeric: boolean;
  readonly canonical: string;
  readonly texts: Set<string>;
}

/** The vault of a session. */
export interface VaultTarget {
  readonly store: Store;
  readonly contents: Contents;
  readonly owner: VaultOwner;
}

/** The vault that values are allocated in, and the server that they came from. */
export interface AllocationTarget extends VaultTarget {
  readonly source: string | undefined;
  readonly names: Names;
}

/** A value without a record, with the key of its index entry and the bytes that were read there. */
export interface AbsentValue {
  readonly value: WantedValue;
  readonly entry: string;
  readonly was: Buffer | null;
}

/** Groups the spellings of equal values. Returns the group of each value. */
export function* groupSteps(values: readonly FoundValue[]): Steps<WantedValue[]> {
  const groups = new Map<string, WantedValue>();
  const groupOf: WantedValue[] = [];
  for (const [index, value] of values.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    const { type, text, numeric = false, canonical: given } = value;
    // A number has one spelling. A number and a text with equal digits are different values.
    const canonical = given ?? (numeric ? text : canonicalOf(type, text));
    const key = identityOf(type, numeric, canonical);
    const wanted = groups.get(key) ?? { type, numeric, canonical, texts: new Set() };
    wanted.texts.add(text);
    groups.set(key, wanted);
    groupOf.push(wanted);
  }
  return groupOf;
}

/** Checks whether a record is the record of a value. */
export function isRecordOf(known: Known, { type, numeric, canonical }: WantedValue): boolean {
  return known.type === type && known.numeric === numeric && known.canonical === canonical;
}
