import { expect, test } from 'vitest';
import type { ListedExecution } from '../api/types.ts';
import { applyChanges, type ExecutionPages } from './apply.ts';

const row = (executionId: string, second: number, status: ListedExecution['status'] = 'running') =>
  ({
    ...{ executionId, id: executionId, status, language: 'typescript', sandbox: 'quickjs' },
    ...{ userId: 'local', preview: '', tools: [], toolCalls: 0, toolErrors: 0, openQuestions: 0, directTokens: 0 },
    startedAt: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  }) as ListedExecution;
const pages: ExecutionPages = { pages: [{ executions: [row('b', 2), row('a', 1)] }], pageParams: [undefined] };
const changes = (...rows: ListedExecution[]) => new Map(rows.map((each) => [each.executionId, each]));
const idsOf = (list: ExecutionPages) =>
  list.pages.flatMap(({ executions }) => executions.map(({ executionId, status }) => `${executionId} ${status}`));

test('replaces known executions and adds new ones at the top', () => {
  const applied = applyChanges(pages, changes(row('c', 3), row('a', 1, 'completed'), row('d', 4)), {});
  expect(idsOf(applied.pages)).toEqual(['d running', 'c running', 'b running', 'a completed']);
});

test('removes executions that no longer match the filter', () => {
  const applied = applyChanges(pages, changes(row('a', 1, 'completed')), { status: 'running' });
  expect(idsOf(applied.pages)).toEqual(['b running']);
});

test('counts new executions that only the server can match', () => {
  const applied = applyChanges(pages, changes(row('c', 3)), { q: 'invoice' });
  expect([applied.unknown, applied.pages]).toEqual([1, pages]);
});

test('does not add executions that are older than the list', () => {
  expect(applyChanges(pages, changes(row('z', 0)), {}).pages).toBe(pages);
});
