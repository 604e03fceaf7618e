import type { ModelMessage } from '../../models/model.ts';
import { hasEnded, type TaskState } from '../state.ts';

/** Earlier tasks of a session that a conversation contains. */
export const MAX_TURNS = 20;

/**
 * Returns the earlier tasks of a session and their answers, redacted, as the start of a conversation. The log of the
 * session has the details. Passes the tasks before the last `MAX_TURNS` to `keep`, which returns the path of a file.
 */
export async function historyMessages(
  earlier: readonly TaskState[],
  keep: (text: string) => Promise<string>,
): Promise<ModelMessage[]> {
  const turns = earlier.filter(({ status }) => hasEnded(status)).map(turnOf);
  const left = turns.slice(0, -MAX_TURNS);
  const turnMessages = turns.slice(-MAX_TURNS).flat();
  if (left.length === 0) return turnMessages;
  const text = left.flat().map((message) => `${message.role}: ${message.text}`);
  const path = await keep(text.join('\n\n'));
  const note = `(${left.length} earlier tasks of this session and their answers are in ${path}.)`;
  return [
    { role: 'user', text: note },
    { role: 'assistant', text: 'I will read that file when I need it.', calls: [] },
    ...turnMessages,
  ];
}

function turnOf({ record, status, end }: TaskState): [ModelMessage, ModelMessage] {
  const outcome = end?.limit === undefined ? '' : ` at its limit (${end.limit})`;
  const answer = end?.answer ?? `(No answer: this task was ${status}${outcome}.)`;
  return [
    { role: 'user', text: record.task },
    { role: 'assistant', text: answer, calls: [] },
  ];
}
