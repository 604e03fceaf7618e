import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1024 * 1024;
const LOOK_MS = 10_000;
/** Bytes that may be garbage. */
const MAX_GARBAGE_BYTES = 64 * MIB;
/** V8 gives most of the pages back at later collections. */
const COLLECTIONS = 3;
/** A process that allocates less between two looks does nothing. */
const IDLE_BYTES = 4 * MIB;

/**
 * Gives memory back after large work: V8 collects no garbage in a process that does nothing, so a server would keep hundreds of megabytes.
 * Looks every `lookMs` milliseconds, 10,000 by default, and collects when nothing was done in between.
 */
export function collectIdleMemory({ lookMs = LOOK_MS }: { readonly lookMs?: number } = {}): Disposable {
  let collect: (() => void) | undefined;
  let last = process.memoryUsage().heapUsed;
  let least = last;
  let due = 0;
  const look = () => {
    const before = last;
    last = process.memoryUsage().heapUsed;
    least = Math.min(least, last);
    if (last - least >= MAX_GARBAGE_BYTES) due = COLLECTIONS;
    if (due === 0 || Math.abs(last - before) >= IDLE_BYTES) return;
    due--;
    collect ??= collector();
    collect();
    last = process.memoryUsage().heapUsed;
    least = last;
  };
  const timer = setInterval(look, lookMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Node offers its collector only to processes that were started with a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
