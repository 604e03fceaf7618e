import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { thisMachine } from '../clocks/machine-clock.ts';

const NAME = /^([\da-f]{8})\.(\d+)\.(\d+)\./;
let ownPlace: string | undefined;

/** Returns the start of names that are this process's: its machine, and the number and the start of the process there. */
export function processName(): string {
  return `${place()}.${process.pid}.${startOf(process.pid)}`;
}

/**
 * Returns whether the process with a name of {@link processName}, which may have more parts, has ended. False while it may live: it is paused,
 * or belongs to another machine or container, whose processes this one does not see.
 */
export function hasProcessEnded(name: string): boolean {
  const [, where, pid = '', start] = NAME.exec(name) ?? [];
  if (where !== place()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // A new process may have the number of an ended one.
  const found = startOf(Number(pid));
  return found !== 0 && start !== '0' && String(found) !== start;
}

/** Names this start of the machine, and the container whose numbers of processes this one sees. */
function place(): string {
  ownPlace ??= createHash('sha256').update(`${thisMachine()}\n${numbering()}`).digest('hex').slice(0, 8);
  return ownPlace;
}

function numbering(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Other systems number all processes of a machine in one way.
    return '';
  }
}

/** Returns when a process started, in ticks of the machine; 0 where the system has no such time. A process that was killed and waits for its parent has ended. */
function startOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? -1 : Number(fields[19]);
  } catch {
    return 0;
  }
}
