import type { SandboxLimits } from '@toolwright/sandbox';
import * as z from 'zod';
import { ToolwrightError } from '../errors.ts';

/** All limits of an execution. Each can be set per Toolwright and per execution. */
export interface Limits extends SandboxLimits {
  /** Bytes of source text. */
  readonly sourceBytes: number;
  /** Tool calls of one execution. */
  readonly toolCalls: number;
  /** Tool calls in flight at once; further calls wait. */
  readonly parallelCalls: number;
  /** Bytes of the arguments of one tool call, as JSON. */
  readonly callArgumentBytes: number;
  /** Bytes of the result of one tool call, as JSON. */
  readonly callResultBytes: number;
  /** Bytes of the journal: arguments and results of all tool calls together. */
  readonly journalBytes: number;
  /** Bytes of all log lines together; further bytes are dropped and counted. */
  readonly logBytes: number;
  /** Bytes of the result, as JSON. The caller receives a longer result as a preview and a workspace file. */
  readonly resultBytes: number;
  /** Nesting depth of any JSON value that crosses the bridge. */
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

/** Timers of Node hold 2^31 - 1 ms, and the watchdog of a program waits a little longer than its limit. */
const MAX_TIMEOUT_MS = 2_000_000_000;
/** No engine starts with less memory. */
const MIN_MEMORY_BYTES = MIB;

/** The fields of {@link limitsSchema}. */
export type LimitsShape = { readonly [Name in keyof Limits]: z.ZodInt };

const positive: z.ZodInt = z.int().positive();

/** The schema of {@link Limits}: positive whole numbers that timers and engines can hold. */
export const limitsSchema: z.ZodObject<LimitsShape, z.core.$strict> = z.strictObject({
  timeoutMs: positive.max(MAX_TIMEOUT_MS),
  memoryBytes: positive.min(MIN_MEMORY_BYTES),
  messageBytes: positive,
  sourceBytes: positive,
  toolCalls: positive,
  parallelCalls: positive,
  callArgumentBytes: positive,
  callResultBytes: positive,
  journalBytes: positive,
  logBytes: positive,
  resultBytes: positive,
  depth: positive,
  workspaceBytes: positive,
  workspaceFiles: positive,
});

/** Limits that differ from the default. */
export type ChangedLimits = { readonly [Name in keyof Limits]?: number | undefined };

/**
 * Returns all limits: `changed` over `base`, which defaults to `DEFAULT_LIMITS`. Raises `CONFIG_INVALID` for unknown limits
 * and for values that {@link limitsSchema} refuses.
 */
export function checkLimits(changed: ChangedLimits, base: Limits = DEFAULT_LIMITS): Limits {
  const given = Object.fromEntries(Object.entries<unknown>(changed).filter(([, value]) => value !== undefined));
  const parsed = limitsSchema.partial().safeParse(given);
  const [issue] = parsed.error?.issues ?? [];
  if (issue) throw new ToolwrightError('CONFIG_INVALID', limitProblem(issue, given));
  return { ...base, ...given };
}

function limitProblem(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'unrecognized_keys') {
    return `Unknown limit "${issue.keys[0]}". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`;
  }
  const name = String(issue.path[0]);
  const value = given[name];
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  if (issue.code === 'too_big') return `limits.${name} must be at most ${issue.maximum}, not ${shown}.`;
  if (issue.code === 'too_small' && Number(value) > 0) {
    return `limits.${name} must be at least ${issue.minimum}, not ${shown}.`;
  }
  return `limits.${name} must be a positive whole number, not ${shown}.`;
}
