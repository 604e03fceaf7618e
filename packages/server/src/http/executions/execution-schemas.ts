import * as z from 'zod';
import { originSchema } from '../approvals/decisions.ts';

/** The status of an execution. */
export const executionStatus: z.ZodEnum<{
  running: 'running';
  suspended: 'suspended';
  completed: 'completed';
  failed: 'failed';
  stopped: 'stopped';
  cancelled: 'cancelled';
  interrupted: 'interrupted';
}> = z.enum(['running', 'suspended', 'completed', 'failed', 'stopped', 'cancelled', 'interrupted']).meta({
  description:
    '`interrupted`: the process of the server ended before the execution. Within a day, a server continues it from its journal.',
});

/** The place in a list of executions after which its next page begins: the time and the id of an execution. */
export const executionCursor: z.ZodString = z
  .string()
  .regex(/^\d{13}\.[\da-f-]{36}$/, 'Pass the "nextCursor" of the previous page.');

const waitKind = z.enum(['approval', 'input', 'authorization', 'outcome', 'timer']);

/** An execution without its program and its result. */
export const executionSummary = z
  .object({
    executionId: z.string(),
    status: executionStatus,
    language: z.string(),
    sandbox: z.string(),
    isDryRun: z.literal(true).optional(),
    sessionId: z.string().optional(),
    forkedFrom: z.object({ id: z.string(), at: z.int() }).optional().meta({
      description: 'The execution whose first calls this one repeats, and the last of them.',
    }),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    waitingFor: z.array(waitKind).readonly().optional(),
    wakeAt: z.string().optional().meta({ description: 'When a suspended execution goes on without a decision.' }),
  })
  .meta({ id: 'ExecutionSummary' });

/** A tool call of an execution. */
export const executionCall = z
  .object({
    number: z.int(),
    tool: z.string(),
    outcome: z.enum(['answered', 'failed', 'pending', 'unknown']).meta({
      description: '`unknown`: sent and not answered, so it may have taken effect.',
    }),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    line: z.int().optional().meta({
      description: 'The line of the program that made it. Known for the first calls of a program only.',
    }),
    origins: z.array(originSchema).readonly().optional().meta({
      description: 'Where the arguments came from. Only for a policy that depends on it.',
    }),
    argumentBytes: z.int(),
    arguments: z.unknown().optional().meta({ description: 'Redacted. Absent over 16 KiB.' }),
    isInvented: z.literal(true).optional().meta({ description: 'A call of a dry run that was not sent.' }),
    resultBytes: z.int().optional(),
    result: z.unknown().optional().meta({ description: 'Result or error, redacted. Absent over 16 KiB.' }),
  })
  .meta({ id: 'ExecutionCall' });
