import { ToolwrightError } from '@toolwright/core';
import { PARSING, problemsText } from '@toolwright/core/internal';
import * as z from 'zod';
import type { ChangedTaskLimits, TaskLimits, TaskUsage } from './task.ts';

/** The default limits of a task. */
export const DEFAULT_TASK_LIMITS: TaskLimits = {
  steps: 30,
  tokens: 500_000,
  costUsd: 5,
  timeoutMs: 600_000,
};

/** The longest timer of Node. */
const MAX_TIME_MS = 2 ** 31 - 1;

const positive = z.int().positive();

/** The schema of the limits of a request. */
export const taskLimitsSchema = z
  .strictObject({ steps: positive, tokens: positive, costUsd: z.number().positive(), timeoutMs: positive })
  .partial();

/** Fills in the defaults. Raises `CONFIG_INVALID` for limits that {@link taskLimitsSchema} rejects. */
export function checkTaskLimits(limits: ChangedTaskLimits, defaults: TaskLimits = DEFAULT_TASK_LIMITS): TaskLimits {
  const { data, error } = taskLimitsSchema.safeParse(limits, PARSING);
  if (error) throw new ToolwrightError('CONFIG_INVALID', `Wrong limits of a task. ${problemsText(error)}.`);
  const changed = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  const all: TaskLimits = { ...defaults, ...changed };
  return { ...all, timeoutMs: Math.min(all.timeoutMs, MAX_TIME_MS) };
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
