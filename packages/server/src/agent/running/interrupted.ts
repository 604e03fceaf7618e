import { shorten } from '@toolwright/connectors/internal';
import { type ExecutionCall, type ExecutionRecord, type Executions, ToolwrightError } from '@toolwright/core';
import { MAX_PAGE_CALLS } from '@toolwright/core/internal';
import type { ModelCall, ModelMessage } from '../../models/model.ts';
import type { TaskState } from '../state.ts';

/** Maximum number of listed calls of an interrupted execution. */
const MAX_SHOWN_CALLS = 50;
const MAX_JSON_CHARACTERS = 300;

/** Returns the calls of the last answer without a result: the interrupted ones and those that did not start. */
export function openCalls(messages: readonly ModelMessage[]): readonly ModelCall[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[at];
  if (last?.role !== 'assistant') return [];
  const done = new Set(messages.slice(at).flatMap((message) => (message.role === 'tool' ? [message.call] : [])));
  return last.calls.filter(({ id }) => !done.has(id));
}

/** Returns the result text of an interrupted call, from the journal of its execution. Runs nothing again. */
export async function interruptedText(
  call: ModelCall,
  { started, record: { userId } }: TaskState,
  executions: Executions,
): Promise<string> {
  const id = started.get(call.id);
  if (id === undefined) return 'This did not run: the process ended before its start. It changed nothing.';
  const record = await executions.get(id, userId).catch(unlessUnknown);
  if (!record) return 'Interrupted: the process ended while this ran. The record of its tool calls is missing.';
  const head = headOf(record);
  const calls = await executions.calls(id, userId, { limit: MAX_SHOWN_CALLS });
  if (calls.length === 0) return `${head} It had called no tool.`;
  const more =
    calls.length < MAX_SHOWN_CALLS ? 0 : await countAfter(calls, (page) => executions.calls(id, userId, page));
  return [
    `${head} It had called the tools below. No call was repeated. Answered calls have taken effect:`,
    ...calls.map(callText),
    ...(more > 0 ? [`and ${more} more`] : []),
    'Check the state before you continue. Do not repeat calls that took effect.',
  ].join('\n');
}

function headOf({ status }: ExecutionRecord): string {
  return status === 'completed' || status === 'failed'
    ? `This ran to its end (${status}), then the process ended. Its result is in /session/log.md.`
    : 'Interrupted: the process ended while this program ran. The files that it wrote to /workspace are still there.';
}

function unlessUnknown(error: unknown): undefined {
  // A record that cannot be read is no reason to end the task.
  if (error instanceof ToolwrightError && error.code !== 'STORE_UNAVAILABLE') return undefined;
  throw error;
}

/** Returns the number of calls after the given ones. */
async function countAfter(
  calls: readonly ExecutionCall[],
  read: (page: { after: number; limit: number; maxValueBytes: number }) => Promise<readonly ExecutionCall[]>,
): Promise<number> {
  let count = 0;
  for (let last = calls.at(-1)?.number ?? 0; ; ) {
    const page = await read({ after: last, limit: MAX_PAGE_CALLS, maxValueBytes: 1 });
    count += page.length;
    if (page.length < MAX_PAGE_CALLS) return count;
    last = page.at(-1)?.number ?? last;
  }
}

function callText(
  { tool, arguments: args, argumentBytes, outcome, result, resultBytes = 0 }: ExecutionCall,
  index: number,
): string {
  const call = `${index + 1}. ${tool}(${json(args, argumentBytes)})`;
  if (outcome === 'unknown' || outcome === 'pending')
    return `${call}: no answer, so it is unknown whether it took effect`;
  return `${call}: ${outcome === 'answered' ? 'answered' : 'failed with'} ${json(result, resultBytes)}`;
}

/** A large value is not there. */
function json(value: unknown, bytes: number): string {
  if (value === undefined && bytes > 0) return `… ${bytes} bytes …`;
  return shorten(JSON.stringify(value) ?? '', MAX_JSON_CHARACTERS);
}
