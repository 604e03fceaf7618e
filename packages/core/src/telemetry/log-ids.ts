import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids of the current work. Each log line has these fields. */
export interface LogIds {
  readonly requestId?: string;
  readonly taskId?: string;
  readonly executionId?: string;
}

const ids = new AsyncLocalStorage<LogIds>();

/** Runs `work` with additional ids in its log lines. */
export function withLogIds<T>(more: LogIds, work: () => T): T {
  return ids.run({ ...ids.getStore(), ...more }, work);
}

/** Returns the ids of the current work. */
export function logIds(): LogIds {
  return ids.getStore() ?? {};
}
