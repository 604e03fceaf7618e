import type { SandboxLimits } from '@toolwright/sandbox';
import * as z from 'zod';
import { ToolwrightError } from '../../errors.ts';
import { RENAMED_KEYS } from '../problems.ts';
import { type SettingMeta, setting } from '../setting.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every limit of an execution: its default, and its row in the reference of the configuration. */
const LIMITS = {
  timeoutMs: limit(30_000, 'milliseconds of one execution, without waits for persons and tools', {
    env: 'TOOLWRIGHT_TIMEOUT_MS',
  }),
  memoryBytes: limit(
    128 * MIB,
    'memory of the program; the environment has MiB; with Python packages or presets, the default is 512 MiB',
    {
      env: 'TOOLWRIGHT_MEMORY_MB',
      envUnit: MIB,
    },
  ),
  cpuPercent: limit(
    100,
    'share of one processor, 1 to 100 percent, see [sandboxes](sandboxes.md#limit-the-processor)',
    {
      env: 'TOOLWRIGHT_CPU_PERCENT',
    },
  ),
  messageBytes: limit(32 * MIB, 'one message of the guest, its result included'),
  sourceBytes: limit(512 * KIB, 'source text of a program or module'),
  toolCalls: limit(10_000, 'tool calls of one execution'),
  parallelCalls: limit(64, 'tool calls in flight at once; more wait'),
  callArgumentBytes: limit(4 * MIB, 'arguments of one tool call, as JSON'),
  callResultBytes: limit(16 * MIB, 'result of one tool call, as JSON, and one file read'),
  journalBytes: limit(1024 * MIB, 'arguments and results of all tool calls together'),
  logBytes: limit(64 * KIB, 'all log lines together; the rest is dropped and counted'),
  resultBytes: limit(32 * KIB, 'result, as JSON; a longer one becomes a preview and a workspace file'),
  depth: limit(200, 'nesting of any value that crosses the bridge'),
  workspaceBytes: limit(256 * MIB, 'all files of a workspace together'),
  workspaceFiles: limit(10_000, 'files and folders of a workspace'),
};

/** Every limit of an execution. Each can be set per Toolwright, per execution and, the first two, on the command line. */
export type Limits = Required<SandboxLimits> & { readonly [Name in keyof typeof LIMITS]: number };

export const DEFAULT_LIMITS: Limits = mapLimits((name) => LIMITS[name].byDefault);

function limit(byDefault: number, description: string, more: Partial<SettingMeta> = {}) {
  return { byDefault, meta: { description, defaultText: textOf(byDefault), ...more } satisfies SettingMeta };
}

function textOf(amount: number): string {
  for (const [unit, name] of [
    [1024 * MIB, 'GiB'],
    [MIB, 'MiB'],
    [KIB, 'KiB'],
  ] as const) {
    if (amount >= unit && amount % unit === 0) return `${amount / unit} ${name}`;
  }
  // Not Intl: its first use takes 7 ms.
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function mapLimits<T>(of: (name: keyof typeof LIMITS) => T): { [Name in keyof typeof LIMITS]: T } {
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as { [Name in keyof typeof LIMITS]: T };
}

/** Timers of Node hold 2^31 - 1 ms, and the watchdog of a program waits a little longer than its limit. */
const MAX_TIMEOUT_MS = 2_000_000_000;
/** A program has one processor at most. */
const MAX_CPU_PERCENT = 100;
/** No engine starts with less memory. */
const MIN_MEMORY_BYTES = MIB;

const positive: z.ZodInt = z.int().positive();

/** The schema of {@link Limits}: positive whole numbers that timers and engines can hold. */
export const limitsSchema = z.strictObject(mapLimits((name) => setting(schemaOf(name), LIMITS[name].meta)));

/** The schema of limits that change: zod compiles a schema at its first use, so it exists once. */
export const changedLimitsSchema = limitsSchema.partial();

function schemaOf(name: keyof Limits): z.ZodInt {
  if (name === 'timeoutMs') return positive.max(MAX_TIMEOUT_MS);
  if (name === 'cpuPercent') return positive.max(MAX_CPU_PERCENT);
  return name === 'memoryBytes' ? positive.min(MIN_MEMORY_BYTES) : positive;
}

/** Returns the limits that differ from the defaults. */
export function changedLimits(limits: Limits): ChangedLimits {
  const changed = Object.entries(limits).filter(([name, value]) => DEFAULT_LIMITS[name as keyof Limits] !== value);
  return Object.fromEntries(changed);
}

/** Limits that differ from the default. */
export type ChangedLimits = { readonly [Name in keyof Limits]?: number | undefined };

/**
 * Returns all limits: `changed` over `base`, which defaults to `DEFAULT_LIMITS`. Raises `CONFIG_INVALID` for unknown limits
 * and for values that {@link limitsSchema} refuses.
 */
export function checkLimits(changed: ChangedLimits, base: Limits = DEFAULT_LIMITS): Limits {
  if (Object.keys(changed).length === 0) return base;
  const given = Object.fromEntries(Object.entries<unknown>(changed).filter(([, value]) => value !== undefined));
  const parsed = changedLimitsSchema.safeParse(given);
  const [issue] = parsed.error?.issues ?? [];
  if (issue) throw new ToolwrightError('CONFIG_INVALID', limitProblem(issue, given));
  return { ...base, ...given };
}

/** Returns the limits of a recorded execution. */
export function recordedLimits({
  limits = {},
  timeoutMs,
}: {
  readonly limits?: ChangedLimits;
  readonly timeoutMs?: number;
}): Limits {
  return checkLimits({ ...limits, timeoutMs: timeoutMs ?? limits.timeoutMs });
}

function limitProblem(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'unrecognized_keys') {
    const renamed = RENAMED_KEYS.get(issue.keys[0] ?? '');
    const hint =
      renamed === undefined
        ? `The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`
        : `It is now called "${renamed}".`;
    return `Unknown limit "${issue.keys[0]}". ${hint}`;
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
