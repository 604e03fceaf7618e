import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** The process that runs a task. It is for the operator only: the lease shows whether the process still works. */
export interface RunHost {
  readonly name: string;
  readonly pid: number;
  /** Id of one `createTasks` call. */
  readonly instance: string;
}

/** Returns a new instance of this process. */
export function newInstance(): RunHost {
  return { name: hostname(), pid: process.pid, instance: randomUUID() };
}
