import { createHash } from 'node:crypto';
import type { Store } from './store.ts';

/** The numbers of placeholders, each of which is used once. */
export interface Numbers {
  /** Takes `amount` successive numbers of a type, and returns the last. */
  take(type: string, amount: number): Promise<number>;
}

/** The prefix of the namespaces of all counters. */
const NAMESPACE = 'numbers:';
/** Numbers that a process takes at once, if it has used as many before. Those that it does not use are skipped. */
const MAX_BLOCK = 100;

/**
 * Returns the numbers of a user's executions without a session. A counter in the store gives them out, so that no process uses a
 * number again, also after a restart. Rejects with `STORE_UNAVAILABLE`.
 */
export function storedNumbers(store: Store, user: string): Numbers {
  const namespace = NAMESPACE + createHash('sha256').update(user).digest('base64url');
  const blocks = new Map<string, { next: number; last: number }>();
  let used = 0;
  return {
    async take(type, amount) {
      const block = blocks.get(type);
      used += amount;
      if (block && block.next + amount - 1 <= block.last) {
        block.next += amount;
        return block.next - 1;
      }
      const more = Math.min(used - amount, MAX_BLOCK);
      const sums = await store.increment(namespace, { [type]: amount + more });
      const last = sums[type] ?? 0;
      blocks.set(type, { next: last - more + 1, last });
      return last - more;
    },
  };
}
