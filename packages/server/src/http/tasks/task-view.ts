import * as z from 'zod';
import { TASK_STATUSES, type Task } from '../../agent/task.ts';
import { questionSchema } from '../approvals/decisions.ts';
import { withExecutionId } from '../executions/execution-id.ts';

const usage = z.object({
  steps: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number().optional(),
});

/** The schema of a task in responses. */
export const taskSchema: z.ZodType = z
  .object({
    taskId: z.string(),
    sessionId: z.string(),
    userId: z.string(),
    task: z.string(),
    model: z.string(),
    status: z.enum(TASK_STATUSES).meta({
      description:
        '`waiting`: its program waits for a person, see `pending`. `interrupted`: its process ended; it can be resumed.',
    }),
    createdAt: z.string(),
    endedAt: z.string().optional(),
    answer: z.string().nullable(),
    isRestored: z.boolean().meta({
      description:
        'Whether the answer has personal data in place of placeholders. It is for the user, and for no model.',
    }),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    limit: z.string().optional().meta({ description: 'The limit that stopped the task.' }),
    executions: z.array(
      z.object({
        executionId: z.string(),
        status: z.enum(['completed', 'failed', 'stopped']),
        toolCalls: z.int(),
        ms: z.number(),
      }),
    ),
    pending: z
      .array(questionSchema.extend({ executionId: z.string() }).meta({ id: 'TaskQuestion' }))
      .optional()
      .meta({
        description:
          'The open questions of the program, while the task is `waiting`. Decide by `POST /executions/{executionId}/decisions`.',
      }),
    usage,
  })
  .meta({ id: 'Task' });

/** Returns a task as responses carry it. */
export function taskView({ id, answer, isRestored = false, executions, ...rest }: Task): Record<string, unknown> {
  return {
    taskId: id,
    answer: answer ?? null,
    isRestored,
    executions: executions.map(withExecutionId),
    ...rest,
  };
}
