import { createHash, randomBytes } from 'node:crypto';
import { place, startOf } from '../docker/owner.ts';

/** The names of our machines tell whose they are: where its process id has a meaning, the id, and its start. */
const NAME = /^toolwright-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{8}$/;

/** A new name for a machine of this process. */
export function machineName(): string {
  return `toolwright-${here()}-${process.pid}-${startOf(process.pid)}-${randomBytes(4).toString('hex')}`;
}

/** Whether a machine belongs to a process that is gone. False for the machines of others and of other places. */
export function isLeftOver(name: string): boolean {
  const [, where, pid, started] = NAME.exec(name) ?? [];
  return where === here() && started !== startOf(Number(pid));
}

function here(): string {
  return createHash('sha256').update(place()).digest('hex').slice(0, 8);
}
