import { queryText, send } from '../../api/session.ts';
import type { Approval, Decided } from '../../api/types.ts';
import { PAGE } from '../load.ts';
import type { Choice } from './choice.ts';
import { schemaOf } from './same-arguments.ts';
import { sendInParts } from './send-parts.ts';

/** Sends a decision about questions as they were shown: one that has changed since is refused. */
export function sendDecision({ action, items, next, same = [], always, note, value }: Choice): Promise<Decided> {
  const more = { note: note || undefined, value };
  const [only] = items;
  if (next !== undefined && only) {
    const condition = same.length === 0 ? {} : { arguments: schemaOf(only.arguments, same) };
    return approveOne(only, { covers: { next, ...condition }, ...more });
  }
  if (always !== undefined && only) return approveOne(only, { always: { arguments: always }, ...more });
  const decideSome = (some: readonly Approval[]) => decide(action, some, more);
  return items.length <= PAGE ? decideSome(items) : sendInParts(items, PAGE, decideSome);
}

type More = { readonly note?: string; readonly value?: unknown };

function decide(action: string, items: readonly Approval[], more: More): Promise<Decided> {
  const named = items.map(({ executionId, userId, call, question, binding }) => ({
    executionId,
    userId,
    call,
    binding,
    question,
  }));
  return send('POST', 'approvals/decisions', { action, items: named, ...more });
}

/** Approves a call, and further calls of its tool. */
async function approveOne(question: Approval, further: object): Promise<Decided> {
  const { executionId, userId, call, binding } = question;
  const body = { action: 'approve', calls: [call], bindings: [binding], ...further };
  await send('POST', `executions/${executionId}/decisions${queryText({ userId })}`, body);
  return { decided: [{ executionId, call }], refused: [] };
}
