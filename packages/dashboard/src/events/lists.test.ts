import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import type { ListedExecution } from '../api/types.ts';
import type { ExecutionPage } from './apply.ts';
import type { ExecutionSearch } from './filter.ts';
import { listUpdater } from './lists.ts';

const row = (executionId: string, second: number, status = 'completed') =>
  ({ executionId, status, startedAt: `2026-01-01T00:00:0${second}.000Z`, tools: [] }) as unknown as ListedExecution;
const pageOf = (rows: readonly ListedExecution[], nextCursor?: string): ExecutionPage => ({
  executions: rows,
  nextCursor,
});

/** A list whose pages arrive when the test answers. */
function openList(search: ExecutionSearch = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });
  const requests: ((page: ExecutionPage) => void)[] = [];
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ['executions', search],
    initialPageParam: undefined as string | undefined,
    queryFn: () => new Promise<ExecutionPage>((resolve) => requests.push(resolve)),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const unknown: string[] = [];
  const lists = listUpdater(client, (ids) => unknown.push(...ids));
  return {
    client,
    observer,
    unknown,
    leave: observer.subscribe(() => undefined),
    apply: (...rows: ListedExecution[]) => lists.apply(new Map(rows.map((each) => [each.executionId, each]))),
    async answer(page: ExecutionPage) {
      await expect.poll(() => requests.length).toBeGreaterThan(0);
      requests.shift()?.(page);
      await expect.poll(() => observer.getCurrentResult().fetchStatus).toBe('idle');
    },
    rows: () =>
      client
        .getQueryData<{ pages: ExecutionPage[] }>(['executions', search])
        ?.pages.flatMap(({ executions }) => executions.map(({ executionId, status }) => `${executionId} ${status}`)),
  };
}

test('changes that arrive while the first page loads are in the list', async () => {
  const list = openList();
  list.apply(row('a', 1), row('b', 2));
  await list.answer(pageOf([row('a', 1, 'running')]));
  await expect.poll(list.rows).toEqual(['b completed', 'a completed']);
});

test('changes that arrive while a further page loads stay, and newer ones win', async () => {
  const list = openList();
  await list.answer(pageOf([row('b', 2, 'running')], '1767225602000.b'));
  void list.observer.fetchNextPage();
  list.apply(row('b', 2, 'suspended'), row('c', 3));
  list.apply(row('b', 2, 'completed'));
  await list.answer(pageOf([row('a', 1)]));
  await expect.poll(list.rows).toEqual(['c completed', 'b completed', 'a completed']);
  list.apply(row('b', 2, 'failed'));
  expect(list.rows()).toEqual(['c completed', 'b failed', 'a completed']);
});

test('a list in the background changes too, and a search there is forgotten when it may have more', async () => {
  const list = openList();
  await list.answer(pageOf([row('a', 1, 'running')]));
  list.leave();
  list.apply(row('a', 1));
  expect([list.rows(), list.unknown]).toEqual([['a completed'], []]);
  const search = openList({ q: 'invoice' });
  await search.answer(pageOf([row('a', 1)]));
  search.apply(row('b', 2), row('a', 1, 'failed'));
  expect([search.rows(), search.unknown]).toEqual([['a failed'], ['b']]);
  search.leave();
  search.apply(row('c', 3));
  expect([search.rows(), search.unknown]).toEqual([undefined, ['b']]);
});
