import { createHash, randomBytes } from 'node:crypto';
import { place, startOf } from '../docker/owner.ts';

/** Names of machines contain their owner: the process namespace, the process id and its start time. */
const NAME = /^toolwright-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{8}$/;

/** Returns a new name for a machine of this process. */
export function machineName(): string {
  return `toolwright-${here()}-${process.pid}-${startOf(process.pid)}-${randomBytes(4).toString('hex')}`;
}

/** Returns whether the machine's process has ended; false for names of other programs and namespaces. */
export function isLeftOver(name: string): boolean {
  const [, where, pid, started] = NAME.exec(name) ?? [];
  return where === here() && started !== startOf(Number(pid));
}

function here(): string {
  return createHash('sha256').update(place()).digest('hex').slice(0, 8);
}
