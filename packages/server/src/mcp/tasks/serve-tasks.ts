import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { TASKS_EXTENSION, type Task, type TaskSource } from './task-source.ts';

const params = z.looseObject({ taskId: z.string().max(1_000) });

/** Returns whether a request declares the tasks extension. A request without it is never answered with a task. */
export function acceptsTasks(capabilities: ClientCapabilities | undefined): boolean {
  return Object(Object(capabilities).extensions)[TASKS_EXTENSION] !== undefined;
}

/** Returns the answer to a call that goes on as a task. */
export function taskResult({ taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task): CreatedTask {
  return { resultType: 'task', taskId, status: 'working', createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/** The answer to a call that goes on as a task (Tasks extension: CreateTaskResult). */
export interface CreatedTask extends Omit<Task, 'inputRequests' | 'result' | 'error'> {
  readonly resultType: 'task';
}

/**
 * Serves `tasks/get`, `tasks/update` and `tasks/cancel` (Tasks extension, 2026-07-28). Requests without the extension are refused
 * with the error -32021, and unknown tasks with -32602.
 */
export function serveTasks({ server }: McpServer, source: TaskSource): void {
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, context) => {
    requireExtension(context);
    return { ...known(taskId, await source.get(taskId, context)) };
  });
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }, context) => {
    requireExtension(context);
    // The SDK has moved the answers from the parameters to the context.
    const { inputResponses = {} } = context.mcpReq;
    known(taskId, await source.update(taskId, inputResponses, context));
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, context) => {
    requireExtension(context);
    known(taskId, await source.cancel(taskId, context));
    return {};
  });
}

function requireExtension({ mcpReq }: ServerContext): void {
  const capabilities = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  if (acceptsTasks(capabilities as ClientCapabilities | undefined)) return;
  throw new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } as ClientCapabilities },
    `This request needs the extension ${TASKS_EXTENSION} in the capabilities of the client.`,
  );
}

function known<Found>(taskId: string, found: Found | undefined | false): Found {
  if (found) return found;
  const message = `There is no task ${JSON.stringify(taskId.slice(0, 100))}. Use the taskId of a result of tools/call.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
