import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Who runs a task. */
export interface RunHost {
  readonly name: string;
  readonly pid: number;
  /** One opening of the tasks of a folder: tells two lives of a process id apart, which containers give out again. */
  readonly instance: string;
}

/** Those of this process that are open. */
const instances = new Set<string>();

/** Names a new instance of this process; `close` says that it runs nothing any more. */
export function openInstance(): { readonly host: RunHost; close(): void } {
  const host = { name: hostname(), pid: process.pid, instance: randomUUID() };
  instances.add(host.instance);
  return { host, close: () => void instances.delete(host.instance) };
}

/** Whether what a host runs may still be running; undefined of another machine, of which nothing is known. */
export function isRunning(host: RunHost): boolean | undefined {
  if (host.name !== hostname()) return undefined;
  if (host.pid === process.pid) return instances.has(host.instance);
  try {
    return process.kill(host.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
