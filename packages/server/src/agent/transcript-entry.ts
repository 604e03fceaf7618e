import type { LanguageName } from '@toolwright/sandbox';
import * as z from 'zod';
import type { ModelMessage } from '../models/model.ts';
import type { RunHost } from './running/process.ts';
import { TASK_STATUSES, type TaskEvent, type TaskLimits } from './task.ts';

/** The constant part of a task. Its text is redacted. */
export interface TaskRecord {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly task: string;
  readonly model: string;
  readonly language: LanguageName;
  readonly sandbox?: string | undefined;
  readonly profile?: string | undefined;
  readonly limits: TaskLimits;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** One line of a transcript. Lines are in chronological order. */
export type TranscriptEntry =
  | ({ readonly entry: 'task' } & TaskRecord)
  /** Written when a process starts or resumes the task. */
  | { readonly entry: 'run'; readonly number: number; readonly host: RunHost }
  | { readonly entry: 'message'; readonly message: ModelMessage }
  /** Written before a program runs: the execution of a call, and so the name of its journal. */
  | { readonly entry: 'execution'; readonly call: string; readonly execution: string }
  | { readonly entry: 'event'; readonly event: TaskEvent };

const text = z.string();
const count = z.number().min(0);
const status = z.enum(TASK_STATUSES);
const usage = z.looseObject({ steps: count, inputTokens: count, outputTokens: count, costUsd: count.optional() });
const execution = z.looseObject({ id: text, status: text, toolCalls: count, ms: count });
const record = {
  id: text,
  userId: text,
  sessionId: text,
  task: text,
  model: text,
  createdAt: text,
};
const task = z.looseObject({ ...record, status, executions: z.array(execution), usage, answer: text.optional() });

const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('status'), status }),
  z.looseObject({ type: z.literal('text-delta'), text }),
  z.looseObject({ type: z.literal('retry'), reason: text, afterMs: count }),
  z.looseObject({ type: z.literal('code'), call: text, language: text, code: text }),
  z.looseObject({ type: z.literal('tool-call'), call: text, tool: text }),
  z.looseObject({ type: z.literal('log'), call: text, level: text, text }),
  z.looseObject({ type: z.literal('progress'), call: text }),
  z.looseObject({ type: z.literal('waiting'), call: text, execution: text, questions: z.array(z.unknown()) }),
  z.looseObject({ type: z.literal('result'), call: text, text, execution: execution.optional() }),
  z.looseObject({ type: z.literal('usage'), usage }),
  z.looseObject({ type: z.literal('resume-failed'), error: z.looseObject({ code: text, message: text }) }),
  z.looseObject({ type: z.literal('end'), task }),
]);

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), text }),
  z.looseObject({
    role: z.literal('assistant'),
    text,
    calls: z.array(z.looseObject({ id: text, tool: text })),
    native: z.looseObject({ model: text }).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), call: text, tool: text, text }),
]);

const entry = z.discriminatedUnion('entry', [
  z.looseObject({
    entry: z.literal('task'),
    ...record,
    language: z.enum(['typescript', 'python']),
    sandbox: text.optional(),
    limits: z.looseObject({ steps: count, tokens: count, costUsd: count, timeoutMs: count }),
  }),
  z.looseObject({
    entry: z.literal('run'),
    number: count,
    host: z.looseObject({ name: text, pid: count, instance: text }),
  }),
  z.looseObject({ entry: z.literal('message'), message }),
  z.looseObject({ entry: z.literal('execution'), call: text, execution: text }),
  z.looseObject({ entry: z.literal('event'), event: z.intersection(event, z.looseObject({ number: count })) }),
]);

/** Parses one line. Returns undefined for a line that is not a valid entry. */
export function parseEntry(line: string): TranscriptEntry | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return entry.safeParse(parsed).success ? (parsed as TranscriptEntry) : undefined;
  } catch {
    return undefined;
  }
}
