import { ToolwrightError } from '@toolwright/core';
import type { TaskLimits, TaskUsage } from './task.ts';

/** The default limits of a task. */
export const DEFAULT_TASK_LIMITS: TaskLimits = {
  steps: 30,
  tokens: 500_000,
  costUsd: 5,
  timeMs: 600_000,
};

/** The longest timer of Node. */
const MAX_TIME_MS = 2 ** 31 - 1;

/** Fills in the defaults. Raises `CONFIG_INVALID` unless limits are positive whole numbers; `costUsd` may be a fraction. */
export function checkTaskLimits(limits: Partial<TaskLimits>, defaults: TaskLimits = DEFAULT_TASK_LIMITS): TaskLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_TASK_LIMITS, name)) {
      const known = Object.keys(DEFAULT_TASK_LIMITS).join(', ');
      throw new ToolwrightError('CONFIG_INVALID', `A task has no limit "${name}". Its limits are: ${known}.`);
    }
    const isFine = name === 'costUsd' ? Number.isFinite(value) && value > 0 : Number.isSafeInteger(value) && value > 0;
    if (!isFine) {
      const kind = name === 'costUsd' ? 'number' : 'whole number';
      throw new ToolwrightError(
        'CONFIG_INVALID',
        `limits.${name} of a task must be a positive ${kind}, not ${String(value)}.`,
      );
    }
  }
  const all = { ...defaults, ...limits };
  return { ...all, timeMs: Math.min(all.timeMs, MAX_TIME_MS) };
}

/** Returns the reached limit, if any. Unknown costs are not counted. */
export function limitReached(used: TaskUsage, limits: TaskLimits): keyof TaskLimits | undefined {
  if (used.steps >= limits.steps) return 'steps';
  if (used.inputTokens + used.outputTokens >= limits.tokens) return 'tokens';
  if ((used.costUsd ?? 0) >= limits.costUsd) return 'costUsd';
  return undefined;
}

/** Raises `CONFIG_INVALID` when a limit exceeds the allowed one. */
export function checkAllowed(limits: TaskLimits, allowed: Partial<TaskLimits>): void {
  for (const [name, most] of Object.entries(allowed)) {
    const value = limits[name as keyof TaskLimits];
    if (value <= most) continue;
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `limits.${name} of a task is ${value}, the limit of this server is ${most}.`,
    );
  }
}
