import type { SandboxLimits } from '@toolwright/sandbox';
import * as z from 'zod';
import { RENAMED_KEYS } from '../config/problems.ts';
import { type SettingMeta, setting } from '../config/setting.ts';
import { ToolwrightError } from '../errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every limit of an execution: its default, and its row in the reference of the configuration. */
const LIMITS = {
  timeoutMs: limit(30_000, 'wall-clock milliseconds of one execution', { env: 'TOOLWRIGHT_TIMEOUT_MS' }),
  memoryBytes: limit(128 * MIB, 'memory of the program, typed arrays included; the environment has MiB', {
    env: 'TOOLWRIGHT_MEMORY_MB',
    envUnit: MIB,
  }),
  messageBytes: limit(32 * MIB, 'one message of the guest, its result included'),
  sourceBytes: limit(512 * KIB, 'source text of a program or module'),
  toolCalls: limit(10_000, 'tool calls of one execution'),
  parallelCalls: limit(64, 'tool calls in flight at once; more wait'),
  callArgumentBytes: limit(4 * MIB, 'arguments of one tool call, as JSON'),
  callResultBytes: limit(16 * MIB, 'result of one tool call, as JSON, and one file read'),
  journalBytes: limit(1024 * MIB, 'arguments and results of all tool calls together, as the journal has them'),
  logBytes: limit(64 * KIB, 'all log lines together; the rest is dropped and counted'),
  resultBytes: limit(32 * KIB, 'result, as JSON; a longer one becomes a preview and a workspace file'),
  depth: limit(200, 'nesting of any value that crosses the bridge'),
  workspaceBytes: limit(256 * MIB, 'all files of a workspace together'),
  workspaceFiles: limit(10_000, 'files and folders of a workspace'),
};

/** Every limit of an execution. Each can be set per Toolwright, per execution and, the first two, on the command line. */
export type Limits = SandboxLimits & { readonly [Name in keyof typeof LIMITS]: number };

export const DEFAULT_LIMITS: Limits = mapLimits((name) => LIMITS[name].byDefault);

/** `limits` of the configuration. */
export const limitsSchema = z.strictObject(
  mapLimits((name) => {
    const positive = z.int().positive();
    const schema = name === 'timeoutMs' ? positive.max(2 ** 31 - 1) : positive;
    return setting(schema.optional(), LIMITS[name].meta);
  }),
);

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
  return amount.toLocaleString('en-US');
}

function mapLimits<T>(of: (name: keyof typeof LIMITS) => T): { [Name in keyof typeof LIMITS]: T } {
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as { [Name in keyof typeof LIMITS]: T };
}

/** Node's timers hold 2^31 - 1 ms, and what watches a program waits a little longer than its limit. */
const MAX_TIMEOUT_MS = 2_000_000_000;
/** Below this no engine starts. */
const MIN_MEMORY_BYTES = MIB;

/** Fills in the defaults. Raises `CONFIG_INVALID` for anything but positive whole numbers that timers and engines can hold. */
export function checkLimits(limits: Partial<Limits>): Limits {
  const known = Object.keys(DEFAULT_LIMITS);
  for (const [name, value] of Object.entries<unknown>(limits)) {
    if (!known.includes(name)) {
      const renamed = RENAMED_KEYS.get(name);
      const hint = renamed === undefined ? `The limits are: ${known.join(', ')}.` : `It is now called "${renamed}".`;
      throw new ToolwrightError('CONFIG_INVALID', `There is no limit "${name}". ${hint}`);
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
