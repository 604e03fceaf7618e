import { queryText, send } from '../../api/session.ts';
import type { Approval, Decided } from '../../api/types.ts';
import { PAGE } from '../load.ts';
import type { Choice } from './choice.ts';
import { schemaOf } from './same-arguments.ts';
import { sendInParts } from './send-parts.ts';

/** Sends a decision about questions as they were shown: one that has changed since is refused. */
export function sendDecision({ action, items, next, same = [], note, value }: Choice): Promise<Decided> {
  const more = { note: note || undefined, value };
  const [only] = items;
  if (next !== undefined && only) return approveNext(only, { next, same, more });
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

interface Covered {
  readonly next: number;
  readonly same: readonly string[];
  readonly more: More;
}

/** Approves a call and the next calls of its tool in its execution: all, or those that share the named arguments. */
async function approveNext(question: Approval, { next, same, more }: Covered): Promise<Decided> {
  const { executionId, userId, call, binding, arguments: args } = question;
  const condition = same.length === 0 ? {} : { arguments: schemaOf(args, same) };
  const body = { action: 'approve', calls: [call], bindings: [binding], covers: { next, ...condition }, ...more };
  await send('POST', `executions/${executionId}/decisions${queryText({ userId })}`, body);
  return { decided: [{ executionId, call }], refused: [] };
}
