import type { SandboxLimits } from '@toolwright/sandbox';
import { completeLimits } from '@toolwright/sandbox/internal';

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

/** Returns limits with the defaults filled in. Raises `CONFIG_INVALID` for an unknown name or an impossible value. */
export function checkLimits(limits: Partial<Limits>): Limits {
  return completeLimits(limits, DEFAULT_LIMITS);
}
