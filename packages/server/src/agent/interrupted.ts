import { type LedgerCall, readLedger, shorten } from '@toolwright/core/internal';
import type { ModelCall, ModelMessage } from '../models/model.ts';
import type { TaskState } from './state.ts';

/** Calls of a cut execution that are told one by one. */
const MAX_TOLD = 50;
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
  const ledger = await readLedger(executions, id);
  if (!ledger) return 'Interrupted: the process ended while this ran, and no record is left of what it called.';
  const head =
    ledger.status === 'completed' || ledger.status === 'failed'
      ? `This ran to its end (${ledger.status}), then the process ended. Its result is in /session/log.md.`
      : 'Interrupted: the process ended while this program ran. Files that it wrote to /workspace are there.';
  if (ledger.calls.length === 0) return `${head} It had called no tool.`;
  const told = ledger.calls.slice(0, MAX_TOLD).map(callText);
  const more = ledger.calls.length - told.length;
  return [
    `${head} It had called these tools, and nothing was called again; what was answered has taken effect:`,
    ...told,
    ...(more > 0 ? [`and ${more} more`] : []),
    'Look at the state before you go on, and do not repeat what is done.',
  ].join('\n');
}

function callText({ tool, arguments: args, answer }: LedgerCall, index: number): string {
  const call = `${index + 1}. ${tool}(${json(args)})`;
  if (answer === undefined) return `${call}: no answer, whether it took effect is unknown`;
  return `${call}: ${answer.ok ? 'answered' : 'failed with'} ${json(answer.result)}`;
}

function json(value: unknown): string {
  return shorten(JSON.stringify(value) ?? '', MAX_JSON_CHARACTERS);
}
