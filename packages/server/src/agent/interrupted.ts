import { type JournalCall, readJournal, shorten } from '@toolwright/core/internal';
import type { ModelCall, ModelMessage } from '../models/model.ts';
import type { TaskState } from './state.ts';

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
export async function interruptedText(call: ModelCall, state: TaskState, executions: string): Promise<string> {
  const id = state.started.get(call.id);
  if (id === undefined) return 'This did not run: the process ended before its start. It changed nothing.';
  const journal = await readJournal(executions, id);
  if (!journal) return 'Interrupted: the process ended while this ran. The record of its tool calls is missing.';
  const head =
    journal.status === 'completed' || journal.status === 'failed'
      ? `This ran to its end (${journal.status}), then the process ended. Its result is in /session/log.md.`
      : 'Interrupted: the process ended while this program ran. The files that it wrote to /workspace are still there.';
  if (journal.calls.length === 0) return `${head} It had called no tool.`;
  const shownCalls = journal.calls.slice(0, MAX_SHOWN_CALLS).map(callText);
  const more = journal.calls.length - shownCalls.length;
  return [
    `${head} It had called the tools below. No call was repeated. Answered calls have taken effect:`,
    ...shownCalls,
    ...(more > 0 ? [`and ${more} more`] : []),
    'Check the state before you continue. Do not repeat calls that took effect.',
  ].join('\n');
}

function callText({ tool, arguments: args, answer }: JournalCall, index: number): string {
  const call = `${index + 1}. ${tool}(${json(args)})`;
  if (answer === undefined) return `${call}: no answer, so it is unknown whether it took effect`;
  return `${call}: ${answer.ok ? 'answered' : 'failed with'} ${json(answer.result)}`;
}

function json(value: unknown): string {
  return shorten(JSON.stringify(value) ?? '', MAX_JSON_CHARACTERS);
}
