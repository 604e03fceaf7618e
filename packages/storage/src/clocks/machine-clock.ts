import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** `performance.now` of each thread has another start of the same clock, and is faster than that clock. */
const STARTED_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Returns milliseconds since some moment, the same in all threads of a process. On most systems, it is the start of the machine. */
export function monotonicMs(): number {
  return STARTED_MS + performance.now();
}

/** Names this start of the machine whose monotonic clock it is, where the system does: processes that share its host name share the clock. */
export function thisMachine(): string {
  // A container may have a kernel of its own.
  return createHash('sha256').update(`${hostname()}\n${bootId()}`).digest('hex').slice(0, 8);
}

/** Returns when the machine was started, in milliseconds since the epoch, as far as its clock was not set. 0 where its name has the start. */
export function startedMs(): number {
  return bootId() === '' ? Date.now() - uptime() * 1_000 : 0;
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    // Other systems have no such file.
    return '';
  }
}

/** Milliseconds by which the uptime of some systems is imprecise. */
const UPTIME_ERROR_MS = 1_000;
/** Milliseconds by which two clocks differ that nobody has set. */
const SAME_MS = 2_000;
const [STARTED_UPTIME_MS, STARTED_AT_MS] = [uptime() * 1_000, performance.now()];

/** Returns milliseconds since some moment, with those in which the machine slept. Nobody sets it. */
export function elapsedMs(): number {
  return Math.max(performance.now() - STARTED_AT_MS, uptime() * 1_000 - STARTED_UPTIME_MS - UPTIME_ERROR_MS);
}

/**
 * Returns the time of a clock that stood still while the machine slept. It is the wall clock where that sleep explains how far it is ahead:
 * else somebody has set the wall clock.
 */
export function timeBy(clockMs: number, wallMs = Date.now(), sleptMs = uptime() * 1_000 - monotonicMs()): number {
  const aheadMs = wallMs - clockMs;
  return aheadMs > SAME_MS && aheadMs <= sleptMs + SAME_MS ? wallMs : clockMs;
}
