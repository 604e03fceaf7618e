import { AsyncLocalStorage } from 'node:async_hooks';

/** What work belongs to; each line that is logged meanwhile has these fields. */
export interface LogIds {
  readonly request?: string;
  readonly task?: string;
  readonly execution?: string;
}

const ids = new AsyncLocalStorage<LogIds>();

/** Does work whose log lines have these ids, beside those that are set already. */
export function withLogIds<T>(more: LogIds, work: () => T): T {
  return ids.run({ ...ids.getStore(), ...more }, work);
}

/** The ids of what is being worked on. */
export function logIds(): LogIds {
  return ids.getStore() ?? {};
}
