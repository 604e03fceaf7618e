import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** The process that runs a task. */
export interface RunHost {
  readonly name: string;
  readonly pid: number;
  /** Id of one `createTasks` call. Containers reuse process ids, so the process id alone is ambiguous. */
  readonly instance: string;
}

/** Open instances of this process. */
const instances = new Set<string>();

/** Registers a new instance of this process. After `close`, its tasks count as not running. */
export function openInstance(): { readonly host: RunHost; close(): void } {
  const host = { name: hostname(), pid: process.pid, instance: randomUUID() };
  instances.add(host.instance);
  return { host, close: () => void instances.delete(host.instance) };
}

/** Returns whether a host may still run its tasks; undefined for another machine, which cannot be checked. */
export function isRunning(host: RunHost): boolean | undefined {
  if (host.name !== hostname()) return undefined;
  if (host.pid === process.pid) return instances.has(host.instance);
  try {
    return process.kill(host.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
