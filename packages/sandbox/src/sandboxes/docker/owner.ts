import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** On each container: the id of the sandbox object that it belongs to. */
export const HOST_LABEL = 'toolwright.host';
const PLACE_LABEL = 'toolwright.place';
const OWNER_LABEL = 'toolwright.owner';

/** Labels of the containers of one sandbox object of this process, which has the id `host`. */
export function ownerLabels(host: string): Record<string, string> {
  return {
    [HOST_LABEL]: host,
    [PLACE_LABEL]: place(),
    [OWNER_LABEL]: `${process.pid} ${startOf(process.pid)}`,
  };
}

/**
 * Whether the process that started a container is gone. Only its own machine, and there its own process namespace, can
 * tell; for the containers of all others this is false.
 */
export function isOrphan(labels: Readonly<Record<string, unknown>>): boolean {
  if (labels[PLACE_LABEL] !== place()) return false;
  const [pid, started] = String(labels[OWNER_LABEL]).split(' ');
  return startOf(Number(pid)) !== started;
}

/** Where a process id has its meaning. */
export function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** When a process started, as its system counts; `running` where that cannot be read, empty when there is none. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
  } catch {
    return process.platform !== 'linux' && isRunning(pid) ? 'running' : '';
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
