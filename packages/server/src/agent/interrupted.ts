import { type JournalCall, readJournal, shorten } from '@toolwright/core/internal';
import type { ModelCall, ModelMessage } from '../models/model.ts';
import type { TaskState } from './state.ts';

/** Calls of a cut execution that are told one by one. */
const MAX_SHOWN_CALLS = 50;
const MAX_JSON_CHARACTERS = 300;

/** The calls of the last answer that have no result: those that were cut, or had not begun. */
export function openCalls(messages: readonly ModelMessage[]): readonly ModelCall[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[at];
  if (last?.role !== 'assistant') return [];
  const done = new Set(messages.slice(at).flatMap((message) => (message.role === 'tool' ? [message.call] : [])));
  return last.calls.filter(({ id }) => !done.has(id));
}

/** What a model is told of a call that its process did not survive: what its ledger has. Nothing is run again here. */
export async function interruptedText(call: ModelCall, state: TaskState, executions: string): Promise<string> {
  const id = state.started.get(call.id);
  if (id === undefined) return 'This did not run: the process ended before. Nothing was changed by it.';
  const journal = await readJournal(executions, id);
  if (!journal) return 'Interrupted: the process ended while this ran, and no record is left of what it called.';
  const head =
    journal.status === 'completed' || journal.status === 'failed'
      ? `This ran to its end (${journal.status}), then the process ended. Its result is in /session/log.md.`
      : 'Interrupted: the process ended while this program ran. Files that it wrote to /workspace are there.';
  if (journal.calls.length === 0) return `${head} It had called no tool.`;
  const shownCalls = journal.calls.slice(0, MAX_SHOWN_CALLS).map(callText);
  const more = journal.calls.length - shownCalls.length;
  return [
    `${head} It had called these tools, and nothing was called again; what was answered has taken effect:`,
    ...shownCalls,
    ...(more > 0 ? [`and ${more} more`] : []),
    'Look at the state before you go on, and do not repeat what is done.',
  ].join('\n');
}

function callText({ tool, arguments: args, answer }: JournalCall, index: number): string {
  const call = `${index + 1}. ${tool}(${json(args)})`;
  if (answer === undefined) return `${call}: no answer, whether it took effect is unknown`;
  return `${call}: ${answer.ok ? 'answered' : 'failed with'} ${json(answer.result)}`;
}

function json(value: unknown): string {
  return shorten(JSON.stringify(value) ?? '', MAX_JSON_CHARACTERS);
}
