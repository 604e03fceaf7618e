import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from '../../processes/alive.ts';

/** Label of each container: the id of its sandbox object. */
export const HOST_LABEL = 'toolwright.host';
const PLACE_LABEL = 'toolwright.place';
const OWNER_LABEL = 'toolwright.owner';

/** Returns the labels for the containers of the sandbox object with the id `host`. */
export function ownerLabels(host: string): Record<string, string> {
  return {
    [HOST_LABEL]: host,
    [PLACE_LABEL]: place(),
    [OWNER_LABEL]: `${process.pid} ${startOf(process.pid)}`,
  };
}

/**
 * Returns whether the process that started a container has ended. Returns false for containers of other machines and process
 * namespaces, whose processes are not visible here.
 */
export function isOrphan(labels: Readonly<Record<string, unknown>>): boolean {
  if (labels[PLACE_LABEL] !== place()) return false;
  const [pid, started] = String(labels[OWNER_LABEL]).split(' ');
  return startOf(Number(pid)) !== started;
}

/** Returns the id of the machine and process namespace, in which a process id is unique. */
export function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Returns the start time of a process as the system reports it: `running` if unreadable, empty if there is none. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
  } catch {
    return process.platform !== 'linux' && isAlive(pid) ? 'running' : '';
  }
}
