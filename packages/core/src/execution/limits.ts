import type { SandboxLimits } from '@toolwright/sandbox';
import { ToolwrightError } from '../errors.ts';

/** Every limit of an execution. Each can be set per Toolwright, per execution and, the first two, on the command line. */
export interface Limits extends SandboxLimits {
  /** Bytes of source text. */
  readonly sourceBytes: number;
  /** Tool calls of one execution. */
  readonly toolCalls: number;
  /** Tool calls in flight at once; the rest waits its turn. */
  readonly parallelCalls: number;
  /** Bytes of the arguments of one tool call, as JSON. */
  readonly callArgumentBytes: number;
  /** Bytes of the result of one tool call, as JSON. */
  readonly callResultBytes: number;
  /** Bytes of the ledger: arguments and results of all tool calls together. */
  readonly journalBytes: number;
  /** Bytes of all log lines together; the rest is dropped and counted. */
  readonly logBytes: number;
  /** Bytes of the result, as JSON, that the caller gets; a longer one becomes a preview and a workspace file. */
  readonly resultBytes: number;
  /** Nesting of any JSON value that crosses the bridge. */
  readonly depth: number;
  /** Bytes of all workspace files together. */
  readonly workspaceBytes: number;
  /** Number of workspace files and folders. */
  readonly workspaceFiles: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 30_000,
  memoryBytes: 128 * MIB,
  messageBytes: 32 * MIB,
  sourceBytes: 512 * KIB,
  toolCalls: 10_000,
  parallelCalls: 64,
  callArgumentBytes: 4 * MIB,
  callResultBytes: 16 * MIB,
  journalBytes: 1024 * MIB,
  logBytes: 64 * KIB,
  resultBytes: 32 * KIB,
  depth: 200,
  workspaceBytes: 256 * MIB,
  workspaceFiles: 10_000,
};

/** Node's timers hold 2^31 - 1 ms, and what watches a program waits a little longer than its limit. */
const MAX_TIMEOUT_MS = 2_000_000_000;
/** Below this no engine starts. */
const MIN_MEMORY_BYTES = MIB;

/** Fills in the defaults. Raises `CONFIG_INVALID` for anything but positive whole numbers that timers and engines can hold. */
export function checkLimits(limits: Partial<Limits>): Limits {
  const known = Object.keys(DEFAULT_LIMITS);
  for (const [name, value] of Object.entries<unknown>(limits)) {
    if (!known.includes(name)) {
      throw new ToolwrightError('CONFIG_INVALID', `There is no limit "${name}". The limits are: ${known.join(', ')}.`);
    }
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
      throw new ToolwrightError('CONFIG_INVALID', `limits.${name} is a positive whole number, not ${given}.`);
    }
  }
  const all = { ...DEFAULT_LIMITS, ...limits };
  if (all.timeoutMs > MAX_TIMEOUT_MS) {
    throw new ToolwrightError('CONFIG_INVALID', `limits.timeoutMs is at most ${MAX_TIMEOUT_MS}, not ${all.timeoutMs}.`);
  }
  if (all.memoryBytes < MIN_MEMORY_BYTES) {
    const message = `limits.memoryBytes is at least ${MIN_MEMORY_BYTES} (1 MiB), not ${all.memoryBytes}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  return all;
}
