import { PiiError } from '../../errors.ts';
import { MAX_PLACEHOLDER_NUMBER, PLACEHOLDER_NAME } from '../../placeholder.ts';
import type { SessionKey } from '../keys/session-key.ts';
import type { Numbers } from '../numbers.ts';
import type { Store } from '../store.ts';

const COUNT_PREFIX = 'count:';

/** The names of placeholders for one allocation. */
export interface Names {
  /** Takes the next name of each type. Raises `PII_DENIED` if a name is not possible. */
  take(session: SessionKey, types: readonly string[]): Promise<string[]>;
}

/** Where the numbers of placeholders are counted. */
export interface Counters {
  readonly store: Store;
  readonly namespace: string;
  /** Default: counters in the namespace. */
  readonly numbers?: Numbers | undefined;
}

/** Opens the names of an allocation. Those for the types of its new values are taken from the counters in one step. */
export function openNames(counters: Counters, types: readonly string[]): Names {
  const ahead = amountsOf(types);
  const ranges = new Map<string, { next: number; last: number }>();
  let counted: SessionKey | undefined;
  return {
    async take(session, wanted) {
      // After the loss of a vault, the numbers start elsewhere.
      if (counted !== session) ranges.clear();
      counted = session;
      const missing: Record<string, number> = {};
      for (const [type, amount] of Object.entries(amountsOf(wanted))) {
        const { next = 1, last = 0 } = ranges.get(type) ?? {};
        if (last - next + 1 < amount) missing[type] = Math.max(amount, ahead[type] ?? 0);
      }
      for (const [type, last] of Object.entries(await count(counters, missing))) {
        ranges.set(type, { next: last - (missing[type] ?? 0) + 1, last });
        delete ahead[type];
      }
      return wanted.map((type) => {
        const range = ranges.get(type) ?? { next: 0, last: 0 };
        return nameOf(type, session.firstNumber + range.next++);
      });
    },
  };
}

/** Adds to the counters of types, and returns their sums. */
async function count({ store, namespace, numbers }: Counters, amounts: Readonly<Record<string, number>>) {
  const sums: Record<string, number> = {};
  const all = Object.entries(amounts);
  if (numbers) for (const [type, amount] of all) sums[type] = await numbers.take(type, amount);
  else if (all.length > 0) {
    const keyed = Object.fromEntries(all.map(([type, amount]) => [COUNT_PREFIX + type, amount]));
    const counted = await store.increment(namespace, keyed);
    for (const [type] of all) sums[type] = counted[COUNT_PREFIX + type] ?? 0;
  }
  return sums;
}

function amountsOf(types: readonly string[]): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const type of types) amounts[type] = (amounts[type] ?? 0) + 1;
  return amounts;
}

function nameOf(type: string, number: number): string {
  const name = `${type}_${number}`;
  if (number <= MAX_PLACEHOLDER_NUMBER && PLACEHOLDER_NAME.test(name)) return name;
  const limits = `A type has 2 to 24 capital letters, digits and "_", a number at most ${MAX_PLACEHOLDER_NUMBER}.`;
  const message = `"${name}" is not a valid placeholder name. ${limits} Start a new session, or rename the type.`;
  throw new PiiError('PII_DENIED', message);
}
