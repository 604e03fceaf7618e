import { ToolwrightError } from '@toolwright/core';
import { executeRequestSchema, NAMING_UNKNOWN, PARSING, problemsText } from '@toolwright/core/internal';
import * as z from 'zod';
import { taskLimitsSchema } from './limits.ts';
import type { TaskRequest } from './task.ts';

const MAX_TASK_CHARACTERS = 200_000;
const { sessionId, userId, language, sandbox } = executeRequestSchema.shape;

/** The schema of a request in natural language, for the library and HTTP. */
export const taskRequestSchema = z.strictObject(
  {
    task: z.string().trim().min(1).max(MAX_TASK_CHARACTERS).meta({ description: 'The task in natural language.' }),
    userId,
    sessionId,
    model: z.string().min(1).max(256).optional().meta({ example: 'anthropic/claude-sonnet-4-5' }),
    language,
    sandbox,
    limits: taskLimitsSchema.optional(),
  },
  NAMING_UNKNOWN,
);

// Clients over HTTP choose no profile in a request.
const wholeSchema = taskRequestSchema.extend({ profile: z.string().optional() });

/** Validates a request. Raises `CONFIG_INVALID` with every problem. */
export function checkRequest(request: TaskRequest): TaskRequest {
  const { data, error } = wholeSchema.safeParse(request, PARSING);
  if (data) return data;
  throw new ToolwrightError('CONFIG_INVALID', `Wrong task request. ${problemsText(error)}.`);
}
