import { type RateLimitSettings, SCOPES } from '@toolwright/core/internal';
import type { Principal } from '../principal.ts';
import { quotaError } from './quota-error.ts';

export type ConcurrentWork = 'concurrentTasks' | 'concurrentExecutions';

/** Seconds after which a client may retry: its own work must end first. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Counts concurrent work in this process, because users share the sandboxes of this process. `enter` raises
 * `QUOTA_EXCEEDED`, or returns a function to call when the work has ended.
 */
export function workCounter(settings: RateLimitSettings): {
  enter(work: ConcurrentWork, principal: Principal): () => void;
} {
  const running = new Map<string, number>();

  const leave = (key: string) => {
    const left = (running.get(key) ?? 0) - 1;
    if (left > 0) running.set(key, left);
    else running.delete(key);
  };

  return {
    enter(work, { user, credential }) {
      const places = SCOPES.map((scope) => ({
        scope,
        limit: settings[scope][work],
        key: JSON.stringify([work, scope, scope === 'user' ? user : credential]),
      }));
      for (const { scope, limit, key } of places) {
        if (limit > 0 && (running.get(key) ?? 0) >= limit) throw quotaError(scope, work, limit, RETRY_AFTER_SECONDS);
      }
      for (const { key } of places) running.set(key, (running.get(key) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        for (const { key } of places) leave(key);
      };
    },
  };
}
