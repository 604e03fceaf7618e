import { expect, test } from 'vitest';
import type { ListedExecution } from '../api/types.ts';
import { applyChanges, type ExecutionPages } from './apply.ts';
import type { ExecutionSearch } from './filter.ts';

const row = (executionId: string, second: number, status: ListedExecution['status'] = 'running') =>
  ({
    executionId,
    id: executionId,
    status,
    language: 'typescript',
    sandbox: 'quickjs',
    userId: 'local',
    preview: '',
    tools: [],
    toolCalls: 0,
    toolErrors: 0,
    openQuestions: 0,
    directTokens: 0,
    startedAt: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  }) as ListedExecution;
const pages: ExecutionPages = { pages: [{ executions: [row('b', 2), row('a', 1)] }], pageParams: [undefined] };
const changes = (...rows: ListedExecution[]) => new Map(rows.map((each) => [each.executionId, each]));
const cursor = (id: string, second: number) => `${Date.parse(row(id, second).startedAt)}.${id}`;
const idsOf = (list: ExecutionPages) =>
  list.pages.flatMap(({ executions }) => executions.map(({ executionId, status }) => `${executionId} ${status}`));

test('replaces known executions and adds new ones', () => {
  const applied = applyChanges(pages, changes(row('c', 3), row('a', 1, 'completed'), row('d', 4)), {});
  expect(idsOf(applied.pages)).toEqual(['d running', 'c running', 'b running', 'a completed']);
});

test('removes executions that no longer match the filter', () => {
  const applied = applyChanges(pages, changes(row('a', 1, 'completed')), { status: 'running' });
  expect(idsOf(applied.pages)).toEqual(['b running']);
});

test('names changed executions that only the server can match', () => {
  const applied = applyChanges(pages, changes(row('c', 3)), { q: 'invoice' });
  expect([applied.unknown, applied.pages]).toEqual([['c'], pages]);
  const tools = Array.from({ length: 20 }, (_, each) => ({ tool: `tool${each}`, calls: 1, failed: 0 }));
  const [many, few] = [tools, tools.slice(1)].map((called) => ({ ...row('c', 3), tools: called }));
  const unknownOf = (found: ListedExecution | undefined) =>
    applyChanges(pages, changes(...(found ? [found] : [])), { tool: 'rare' }).unknown;
  expect([unknownOf(many), unknownOf(few)]).toEqual([['c'], []]);
});

test.each<[ExecutionSearch, Partial<ListedExecution>]>([
  [{ status: 'failed' }, { status: 'failed' }],
  [{ error: 'TOOL_FAILED' }, { status: 'failed', error: { code: 'TOOL_FAILED' } }],
  [{ minMs: '500' }, { status: 'completed', totalMs: 500 }],
  [{ minTokens: '30' }, { status: 'completed', tokens: { code: 10, output: 20 } }],
  [{ tool: 'bank__pay' }, { tools: [{ tool: 'bank__pay', calls: 1, failed: 0 }] }],
  [{ from: '2026-01-01T00:00:02.000Z', to: '2026-01-01T00:00:04.000Z' }, {}],
])('adds an older execution that matches %j now, at its place by time', (search, part) => {
  const list = { pages: [{ executions: [row('d', 4), row('b', 2)] }], pageParams: [undefined] };
  const change = { ...row('c', 3), ...part };
  const applied = applyChanges(
    list,
    changes(change, { ...row('e', 5), startedAt: '2025-12-31T00:00:00.000Z' }),
    search,
  );
  expect(applied.pages.pages[0]?.executions).toEqual([row('d', 4), change, row('b', 2)]);
});

test('adds an execution to the page of its time, and not before that page is loaded', () => {
  const list: ExecutionPages = {
    pages: [
      { executions: [row('f', 6)], nextCursor: cursor('e', 5) },
      { executions: [row('c', 3)], nextCursor: cursor('b', 2) },
    ],
    pageParams: [undefined, cursor('e', 5)],
  };
  const applied = applyChanges(list, changes(row('d', 4), row('g', 6), row('a', 1), row('b', 2), row('e', 5)), {});
  expect(applied.pages.pages.map(({ executions }) => executions.map(({ executionId }) => executionId))).toEqual([
    ['g', 'f', 'e'],
    ['d', 'c', 'b'],
  ]);
  expect(applyChanges(list, changes(row('a', 1)), {}).pages).toBe(list);
});

test('drops the oldest rows of a long list, which load again after the last one', () => {
  const many = (count: number, start: number) =>
    Array.from({ length: count }, (_, each) => ({
      ...row(`id${start + each}`, 0),
      startedAt: new Date(start + each).toISOString(),
    }));
  const older = many(1_500, 1_000).reverse();
  const list: ExecutionPages = {
    pages: [
      { executions: older, nextCursor: `${'1000'.padStart(13, '0')}.id1000` },
      { executions: many(400, 500).reverse() },
    ],
    pageParams: [undefined, 'second'],
  };
  const { pages, pageParams } = applyChanges(list, changes(...many(600, 5_000)), {}).pages;
  const [first] = pages;
  expect([pages.length, pageParams, first?.executions.length]).toEqual([1, [undefined], 2_000]);
  expect([first?.executions[0]?.executionId, first?.nextCursor]).toEqual(['id5599', '0000000001100.id1100']);
});
