import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The names of our machines tell whose they are: where its process id has a meaning, the id, and its start. */
const NAME = /^toolwright-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}$/;

/** A new name for a machine of this process. */
export function machineName(): string {
  return `toolwright-${place()}-${process.pid}-${startOf(process.pid)}-${randomBytes(4).toString('hex')}`;
}

/** Whether a machine belongs to a process that is gone. False for the machines of others and of other places. */
export function isLeftOver(name: string): boolean {
  const [, where, pid, started] = NAME.exec(name) ?? [];
  return where === place() && started !== startOf(Number(pid));
}

/** Processes see each other by their ids within one boot of one machine and one process namespace. */
function place(): string {
  let text = hostname();
  try {
    text = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux: there is one process namespace.
  }
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** When a process started, in ticks of its system; `1` where that cannot be read, `0` when there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '0';
  } catch {
    return process.platform !== 'linux' && isRunning(pid) ? '1' : '0';
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
