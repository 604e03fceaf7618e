import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '../api/client.ts';
import { get, queryText, type Scope, send } from '../api/session.ts';
import type { Approval, Decided } from '../api/types.ts';
import { schemaOf } from './same-arguments.ts';

const MAX_SHOWN = 200;

/** Open questions, oldest first, and the number of all of them. */
export interface OpenQuestions {
  readonly approvals: readonly Approval[];
  readonly total: number;
}

/** The query of the open questions that a person may decide. */
export function approvalsQuery(scope: Scope, shown: 'redacted' | 'real' = 'redacted') {
  return queryOptions({
    queryKey: ['approvals', scope, shown],
    staleTime: 5_000,
    queryFn: ({ signal }) => {
      const real = shown === 'real' ? { arguments: 'real' } : {};
      return get<Answer<'/approvals'>>(`approvals${queryText({ ...scope, ...real, limit: MAX_SHOWN })}`, signal);
    },
  });
}

/** Identifies a question. */
export function keyOf({ executionId, call, question }: Approval): string {
  return `${executionId}.${call}.${question ?? 1}`;
}

/** Decides about questions as they were shown: one that has changed since is refused. */
export function decide(
  action: string,
  items: readonly Approval[],
  more: { readonly note?: string; readonly value?: unknown },
): Promise<Decided> {
  const named = items.map(({ executionId, userId, call, question, binding }) => ({
    ...{ executionId, userId, call, binding },
    ...(question === undefined ? {} : { question }),
  }));
  return send('POST', 'approvals/decisions', { action, items: named, ...more });
}

/** Approves a call and the next calls of its tool in its execution: all, or those that share the named arguments. */
export async function approveNext(question: Approval, next: number, same: readonly string[]): Promise<Decided> {
  const { executionId, userId, call, binding, arguments: args } = question;
  const condition = same.length === 0 ? {} : { arguments: schemaOf(args, same) };
  const body = { action: 'approve', calls: [call], bindings: [binding], covers: { next, ...condition } };
  await send('POST', `executions/${executionId}/decisions${queryText({ userId })}`, body);
  return { decided: [{ executionId, call }], refused: [] };
}
