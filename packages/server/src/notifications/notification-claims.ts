import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '@toolwright/core';
import type { OpenApproval } from '../http/approvals/open-approvals.ts';

/** The process that reports a question: this one, another one, or none because it was reported. */
export type Claim = 'own' | 'other' | 'reported';

/** The claims of processes to report questions. All methods raise `STORE_UNAVAILABLE`. */
export interface NotificationClaims {
  /** Claims a question for this process, for the time of a claim. */
  claim(question: Asked): Promise<Claim>;
  /** Notes for all processes that a question was reported. */
  reported(question: Asked): Promise<void>;
  /** Frees a question, which another process may report then. */
  release(question: Asked): Promise<void>;
}

type Asked = Pick<OpenApproval, 'executionId' | 'call' | 'binding'>;

/** Milliseconds for which a store knows that a question was reported. */
const KNOWN_MS = 366 * 24 * 60 * 60_000;
const REPORTED = 'at';
const OWNER = 'owner';
/** Reported questions that this process remembers. */
const MAX_KNOWN = 10_000;

/** Opens the claims in a store, whose clock ends the claim of a dead process after `claimMs`. */
export function notificationClaims(store: Store, claimMs: number): NotificationClaims {
  const own = randomUUID();
  const known = new Set<string>();
  const remember = (name: string) => {
    const [oldest] = known;
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    known.add(name);
  };
  const isReported = async (name: string) => {
    const [at] = known.has(name) ? [true] : await store.get(`notified:${name}`, [REPORTED]);
    if (at !== undefined) remember(name);
    return at !== undefined;
  };
  return {
    async claim(question) {
      const name = nameOf(question);
      if (await isReported(name)) return 'reported';
      const change = { key: OWNER, value: own, was: null };
      const [isOwn] = await store.put(`notifying:${name}`, [change], { maxMs: claimMs });
      if (!isOwn) return 'other';
      // Another process may have reported it, and freed its claim, between the two steps.
      if (!(await isReported(name))) return 'own';
      await store.delete(`notifying:${name}`);
      return 'reported';
    },
    async reported(question) {
      const name = nameOf(question);
      remember(name);
      await store.put(`notified:${name}`, [{ key: REPORTED, value: `${Date.now()}` }], { maxMs: KNOWN_MS });
      await store.delete(`notifying:${name}`);
    },
    release: (question) => store.delete(`notifying:${nameOf(question)}`),
  };
}

/** Returns the name of a question: that of another call, or of changed arguments, is another one. */
export function nameOf({ executionId, call, binding }: Asked): string {
  return createHash('sha256').update(`${executionId}.${call}.${binding}`).digest('base64url');
}
