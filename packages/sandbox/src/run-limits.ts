import { SandboxError } from './errors.ts';
import type { SandboxLimits } from './sandboxes/sandbox.ts';

/** The limits of one run. */
export interface RunLimits extends Required<SandboxLimits> {
  /** Levels of nesting of a value that crosses the boundary. */
  readonly depth: number;
  /** Bytes of log lines that are kept; further lines are dropped and counted. */
  readonly logBytes: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

const DEFAULT_RUN_LIMITS: RunLimits = {
  timeoutMs: 30_000,
  memoryBytes: 128 * MIB,
  cpuPercent: 100,
  messageBytes: 32 * MIB,
  depth: 200,
  logBytes: 64 * KIB,
};

/** Node's timers hold 2^31 - 1 ms, and the watchdog waits a little longer than the limit. */
const MAX_TIMEOUT_MS = 2_000_000_000;
/** A program has one processor at most. */
const MAX_CPU_PERCENT = 100;
/** No engine starts with less. */
const MIN_MEMORY_BYTES = MIB;

/** Returns limits with the defaults filled in. Raises `CONFIG_INVALID` for an unknown name or an impossible value. */
export function completeLimits(limits: Partial<RunLimits>): RunLimits {
  const known = Object.keys(DEFAULT_RUN_LIMITS);
  for (const [name, value] of Object.entries<unknown>(limits)) {
    if (!known.includes(name)) throw invalid(`There is no limit "${name}". The limits are: ${known.join(', ')}.`);
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
      throw invalid(`limits.${name} is a positive whole number, not ${given}.`);
    }
  }
  const all = { ...DEFAULT_RUN_LIMITS, ...limits };
  if (all.timeoutMs > MAX_TIMEOUT_MS) {
    throw invalid(`limits.timeoutMs is at most ${MAX_TIMEOUT_MS}, not ${all.timeoutMs}.`);
  }
  if (all.memoryBytes < MIN_MEMORY_BYTES) {
    throw invalid(`limits.memoryBytes is at least ${MIN_MEMORY_BYTES} (1 MiB), not ${all.memoryBytes}.`);
  }
  if (all.cpuPercent > MAX_CPU_PERCENT) {
    throw invalid(`limits.cpuPercent is at most ${MAX_CPU_PERCENT}, not ${all.cpuPercent}.`);
  }
  return all;
}

function invalid(message: string): SandboxError {
  return new SandboxError('CONFIG_INVALID', message);
}
