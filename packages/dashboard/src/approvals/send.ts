import { Problem } from '../api/problem.ts';
import { queryText, send } from '../api/session.ts';
import type { Approval, Decided } from '../api/types.ts';
import type { Choice } from './choice.ts';
import { PAGE } from './load.ts';
import { schemaOf } from './same-arguments.ts';

/** Sends a decision about questions as they were shown: one that has changed since is refused. */
export function sendDecision({ action, items, next, same = [], note, value }: Choice): Promise<Decided> {
  const more = { ...(note ? { note } : {}), ...(value === undefined ? {} : { value }) };
  const [only] = items;
  if (next !== undefined && only) return approveNext(only, { next, same, more });
  return items.length <= PAGE ? decide(action, items, more) : decideInParts(action, items, more);
}

type More = { readonly note?: string; readonly value?: unknown };

function decide(action: string, items: readonly Approval[], more: More): Promise<Decided> {
  const named = items.map(({ executionId, userId, call, question, binding }) => ({
    ...{ executionId, userId, call, binding },
    ...(question === undefined ? {} : { question }),
  }));
  return send('POST', 'approvals/decisions', { action, items: named, ...more });
}

/** Sends more questions than one request may have. A failed part does not keep the others from being sent. */
async function decideInParts(action: string, items: readonly Approval[], more: More): Promise<Decided> {
  const answers: Decided[] = [];
  for (let at = 0; at < items.length; at += PAGE) {
    const part = items.slice(at, at + PAGE);
    const failed = (thrown: unknown): Decided => {
      const { code, message: detail } = Problem.from(thrown);
      return { decided: [], refused: part.map(({ executionId, call }) => ({ executionId, call, code, detail })) };
    };
    answers.push(await decide(action, part, more).catch(failed));
  }
  return {
    decided: answers.flatMap(({ decided }) => decided),
    refused: answers.flatMap(({ refused }) => refused),
  };
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
