import * as z from 'zod';
import type { Task } from '../agent/task.ts';

const usage = z.object({
  steps: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number().optional(),
});

/** A task as it is answered. */
export const taskSchema: z.ZodType = z
  .object({
    taskId: z.string(),
    sessionId: z.string(),
    userId: z.string(),
    task: z.string(),
    model: z.string(),
    status: z.enum(['queued', 'running', 'completed', 'stopped', 'failed', 'cancelled', 'interrupted']),
    createdAt: z.string(),
    endedAt: z.string().optional(),
    answer: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    limit: z.string().optional().meta({ description: 'The limit that stopped it.' }),
    executions: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['completed', 'failed', 'stopped']),
        toolCalls: z.int(),
        ms: z.number(),
      }),
    ),
    usage,
  })
  .meta({ id: 'Task' });

/** Tells a task to a client. */
export function taskView({ id, session, user, answer, ...rest }: Task): Record<string, unknown> {
  return { taskId: id, sessionId: session, userId: user, answer: answer ?? null, ...rest };
}

/** Whether a task has come to an end, of which `interrupted` is one that can be continued. */
export function hasEnded({ status }: Task): boolean {
  return status !== 'queued' && status !== 'running';
}
