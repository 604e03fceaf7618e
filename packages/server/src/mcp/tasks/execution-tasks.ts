import { createHash } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import { type ExecutionRecord, type PendingQuestion, ToolwrightError } from '@toolwright/core';
import type { DueTimes } from '@toolwright/core/internal';
import { errorResponse, shownResponse } from '../../agent/loop/tool-response.ts';
import type { Caller } from '../call.ts';
import { toCallResult } from '../call-result.ts';
import { readDecision, type ShownQuestion, shownQuestion, TAKEN } from '../questions/approvals.ts';
import { counted } from '../usage/counted.ts';
import { type CreatedTask, taskResult } from './serve-tasks.ts';
import type { Task, TaskSource } from './task-source.ts';

/** Milliseconds in which a journal is not deleted: the shortest retention is a day. */
const TTL_MS = 24 * 60 * 60 * 1_000;
const POLL_MS = { running: 1_000, asking: 2_000, longest: 60_000 } as const;
/** Ends the id of a task whose result names its new session. */
const NEW_SESSION_MARK = '.session';
const MAX_PROBLEMS = 1_000;

/** Executions that this process continues, and answers that were refused, by the id of the execution. */
export interface TaskMemory {
  readonly continued: Map<string, 'running' | ToolwrightError>;
  readonly refused: Map<string, { readonly times: number; readonly message: string }>;
  /** When executions go on. */
  readonly dueTimes: DueTimes;
}

/** Creates the memory of a process. Without it, a task only waits longer for its next step. */
export function createTaskMemory(dueTimes: DueTimes): TaskMemory {
  return { continued: new Map(), refused: new Map(), dueTimes };
}

/** Returns the answer to a call whose execution goes on as a task. With `isNew`, its result names its session. */
export function createdTask(executionId: string, isNew: boolean): CreatedTask {
  const now = new Date().toISOString();
  return taskResult({
    taskId: isNew ? `${executionId}${NEW_SESSION_MARK}` : executionId,
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_MS.running,
  });
}

/**
 * Creates the tasks of one client: each is an execution of its user. The journal is their state, so any process of a data folder
 * answers, also after a restart. Questions that the client can show become its `inputRequests`.
 */
export function executionTasks(openCaller: () => Promise<Caller>, memory: TaskMemory): TaskSource {
  const find = async (taskId: string) => {
    const caller = await openCaller();
    const id = taskId.endsWith(NEW_SESSION_MARK) ? taskId.slice(0, -NEW_SESSION_MARK.length) : taskId;
    const record = await unlessUnknown(caller.toolwright.executions.get(id, caller.user));
    return record && { caller, id, record };
  };
  const questions = (caller: Caller, id: string) => caller.toolwright.executions.questions(id, caller.user);
  return {
    async get(taskId, context) {
      const found = await find(taskId);
      if (!found) return undefined;
      const { caller, id, record } = found;
      const task = taskOf(taskId, record);
      if (!isOpen(record)) return ended(task, record, { caller, isNew: taskId.endsWith(NEW_SESSION_MARK) });
      const pending = await questions(caller, id);
      const asked = await askedOf(pending, id, { caller, context, memory });
      if (asked) {
        const inputRequests = { [asked.key]: asked.request };
        return { ...task, status: 'input_required', pollIntervalMs: POLL_MS.asking, inputRequests };
      }
      const failure =
        pending.length === 0 && isDue(record, memory) ? continueHere(id, record, { caller, memory }) : undefined;
      if (failure) {
        const message = await caller.toolwright.pii.redact(failure.message, { userId: caller.user });
        return { ...task, status: 'failed', error: { code: -32603, message } };
      }
      return { ...task, status: 'working', pollIntervalMs: pollMs(record, memory), ...messageOf(pending) };
    },
    async update(taskId, responses, context) {
      const found = await find(taskId);
      if (!found) return false;
      const { caller, id, record } = found;
      const asked = isOpen(record) && (await askedOf(await questions(caller, id), id, { caller, context, memory }));
      if (!asked || !(asked.key in responses)) return true;
      if (await decide(id, asked, responses[asked.key], { caller, memory }))
        continueHere(id, record, { caller, memory });
      return true;
    },
    async cancel(taskId) {
      const found = await find(taskId);
      if (!found) return false;
      const { caller, id, record } = found;
      if (isOpen(record)) await unlessEnded(caller.toolwright.executions.cancel(id, caller.user));
      return true;
    },
  };
}

interface Here {
  readonly caller: Caller;
  readonly memory: TaskMemory;
}

/** The question of a task, with the key of its answer. Another answer after a refused one has another key. */
interface AskedQuestion extends ShownQuestion {
  readonly key: string;
  readonly request: ShownQuestion['inputRequests'][string];
  /** The name of the request in its form. */
  readonly name: string;
}

async function askedOf(
  pending: readonly PendingQuestion[],
  id: string,
  { caller, context, memory }: Here & { readonly context: ServerContext },
): Promise<AskedQuestion | undefined> {
  const refused = memory.refused.get(id);
  const shown = await shownQuestion(pending, id, { caller, context, problem: refused?.message });
  const [name, request] = Object.entries(shown?.inputRequests ?? {})[0] ?? [];
  if (!shown || name === undefined || request === undefined) return undefined;
  const text = JSON.stringify([shown.bindings, refused?.times ?? 0]);
  return { ...shown, name, request, key: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
}

/** Stores the decision in an answer. Returns false for one that decides nothing: the question stays open. */
async function decide(id: string, asked: AskedQuestion, response: unknown, { caller, memory }: Here): Promise<boolean> {
  const { user, toolwright } = caller;
  try {
    const decision = readDecision({ [asked.name]: response }, asked);
    if (!decision) return false;
    await toolwright.executions.decide(id, { ...decision, bindings: asked.bindings, userId: user, by: user });
    memory.refused.delete(id);
    return true;
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    const isWrong = error.code === 'CONFIG_INVALID' || error.code === 'INVALID_ARGUMENTS';
    if (isWrong) noteRefused(id, error.message, memory);
    return false;
  }
}

function noteRefused(id: string, message: string, { refused }: TaskMemory): void {
  for (const oldest of refused.keys()) if (refused.size >= MAX_PROBLEMS) refused.delete(oldest);
  refused.set(id, { times: (refused.get(id)?.times ?? 0) + 1, message });
}

/** Continues an execution that no process runs, without waiting for it. Returns the reason why it cannot go on, once it is known. */
function continueHere(
  id: string,
  { sessionId }: ExecutionRecord,
  { caller, memory }: Here,
): ToolwrightError | undefined {
  const { continued } = memory;
  const state = continued.get(id);
  if (state instanceof ToolwrightError) return state;
  if (state === 'running') return undefined;
  continued.set(id, 'running');
  counted(() => caller.toolwright.executions.resume(id, { userId: caller.user }), caller, sessionId).then(
    () => continued.delete(id),
    (error: unknown) => {
      continued.delete(id);
      if (!(error instanceof ToolwrightError) || TAKEN.has(error.code) || error.code === 'QUOTA_EXCEEDED') return;
      for (const oldest of continued.keys()) if (continued.size >= MAX_PROBLEMS) continued.delete(oldest);
      continued.set(id, error);
    },
  );
  return undefined;
}

function isOpen({ status }: ExecutionRecord): boolean {
  return status === 'running' || status === 'suspended' || status === 'interrupted';
}

/** Returns whether an execution can go on, and no process runs it. */
function isDue({ status, wakeAt }: ExecutionRecord, { dueTimes }: TaskMemory): boolean {
  if (status === 'interrupted') return true;
  return status === 'suspended' && (wakeAt === undefined || dueTimes.leftMs(Date.parse(wakeAt)) <= 0);
}

function taskOf(taskId: string, { startedAt, endedAt }: ExecutionRecord): Omit<Task, 'status'> {
  const lastUpdatedAt = endedAt ?? new Date().toISOString();
  return { taskId, createdAt: startedAt, lastUpdatedAt, ttlMs: TTL_MS, pollIntervalMs: POLL_MS.running };
}

/** Tools and programs that failed have a result too. */
async function ended(
  task: Omit<Task, 'status'>,
  record: ExecutionRecord,
  { caller: { toolwright, user }, isNew }: { readonly caller: Caller; readonly isNew: boolean },
): Promise<Task> {
  const { status, result, sessionId, id } = record;
  if (status === 'cancelled' || Object(result).limit === 'cancelled') return { ...task, status: 'cancelled' };
  const message = `Execution ${id} has ended with the status "${status}". Its result was too large for the journal.`;
  const response = result
    ? await shownResponse(
        result,
        { executions: toolwright.executions, userId: user },
        sessionId === undefined ? undefined : { id: sessionId, isNew },
      )
    : errorResponse(new ToolwrightError('EXECUTION_ENDED', message));
  return { ...task, status: 'completed', result: toCallResult(response, false) };
}

function pollMs({ status, wakeAt }: ExecutionRecord, { dueTimes }: TaskMemory): number {
  const leftMs = status === 'suspended' && wakeAt !== undefined ? dueTimes.leftMs(Date.parse(wakeAt)) : 0;
  return Math.round(Math.min(Math.max(leftMs, POLL_MS.running), POLL_MS.longest));
}

function messageOf(pending: readonly PendingQuestion[]) {
  const kinds = [...new Set(pending.map(({ kind }) => kind))];
  return kinds.length === 0 ? {} : { statusMessage: `waits for a person: ${kinds.join(', ')}` };
}

async function unlessUnknown(record: Promise<ExecutionRecord>): Promise<ExecutionRecord | undefined> {
  return record.catch((error: unknown) => ignoring('UNKNOWN_EXECUTION', error));
}

async function unlessEnded(cancelling: Promise<unknown>): Promise<void> {
  await cancelling.catch((error: unknown) => ignoring('EXECUTION_ENDED', error));
}

function ignoring(code: string, error: unknown): undefined {
  if (error instanceof ToolwrightError && error.code === code) return undefined;
  throw error;
}
