// Names the limit that a load has reached.
import { round } from '../measure.mjs';

/** A stage keeps up when it finishes this share of the wanted works. */
const KEEPS_UP = 0.9;
/** Share of the processors from which on they are the limit. */
const BUSY = 0.8;

/** Connections that wait for the same reason at once, from which on it is the limit. */
const MANY = 2;

/** Returns a percentile of samples; 0 without any. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0, 1);
}

/** Returns the reason why a stage did not keep up; undefined if it did. */
export function firstLimit({ wantedPerSecond, finishedPerSecond, renewals, processors, connections, waits }, cores) {
  const isBehind = finishedPerSecond < KEEPS_UP * wantedPerSecond || renewals.lostWorks > 0;
  if (!isBehind) return undefined;
  const used = Object.values(processors).reduce((sum, each) => sum + each, 0);
  const shares = Object.entries(processors)
    .sort(([, a], [, b]) => b - a)
    .map(([name, each]) => `${name} ${each}`);
  if (used > BUSY * cores) return `the ${cores} processors: ${shares.join(', ')}`;
  if (processors.simulation > BUSY) return `the simulation, which has one thread: ${shares.join(', ')}`;
  const [wait = ''] = Object.keys(waits).filter((name) => name !== 'processor' && waits[name] >= MANY);
  if (wait.startsWith('Lock')) return `locks of rows (${wait})`;
  if (/WAL/.test(wait)) return `the log of PostgreSQL (${wait})`;
  if (connections.used >= connections.modelled) return 'connections: all are in use';
  return `other work of the machine: these processes used ${round(used, 1)} of ${cores} processors`;
}
