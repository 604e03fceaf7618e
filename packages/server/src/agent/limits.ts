import { ToolwrightError } from '@toolwright/core';
import type { TaskLimits, TaskUsage } from './task.ts';

/** What a task may use up when nobody says otherwise. */
export const DEFAULT_TASK_LIMITS: TaskLimits = {
  steps: 30,
  tokens: 500_000,
  costUsd: 5,
  timeMs: 600_000,
};

/** Node's timers hold no more. */
const MAX_TIME_MS = 2 ** 31 - 1;

/** Fills in the defaults. Raises `CONFIG_INVALID` for anything but positive numbers, whole ones but for the dollars. */
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
        `limits.${name} of a task is a positive ${kind}, not ${String(value)}.`,
      );
    }
  }
  const all = { ...defaults, ...limits };
  return { ...all, timeMs: Math.min(all.timeMs, MAX_TIME_MS) };
}

/** The limit that is used up, if one is. A cost that is not known is not counted. */
export function limitReached(used: TaskUsage, limits: TaskLimits): keyof TaskLimits | undefined {
  if (used.steps >= limits.steps) return 'steps';
  if (used.inputTokens + used.outputTokens >= limits.tokens) return 'tokens';
  if ((used.costUsd ?? 0) >= limits.costUsd) return 'costUsd';
  return undefined;
}

/** Raises `CONFIG_INVALID` when a limit is over what is allowed. */
export function checkAllowed(limits: TaskLimits, allowed: Partial<TaskLimits>): void {
  for (const [name, most] of Object.entries(allowed)) {
    const value = limits[name as keyof TaskLimits];
    if (value <= most) continue;
    throw new ToolwrightError('CONFIG_INVALID', `limits.${name} of a task is at most ${most} here, not ${value}.`);
  }
}
