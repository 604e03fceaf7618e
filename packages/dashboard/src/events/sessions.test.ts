import { expect, test, vi } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { sessionRefetcher } from './sessions.ts';

test('a change fetches its session and files at once, and the next changes together', () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const refetch = sessionRefetcher(
    partial({
      async invalidateQueries(filters) {
        asked.push(String(filters?.queryKey));
      },
    }),
  );
  refetch([{ sessionId: 'a' }, {}]);
  expect(asked).toEqual(['sessions,a', 'files,a', 'sessions']);
  for (const sessionId of ['a', 'b', 'a']) refetch([{ sessionId }]);
  expect(asked.splice(0)).toHaveLength(3);
  vi.advanceTimersByTime(400);
  expect(asked).toEqual(['sessions,a', 'files,a', 'sessions,b', 'files,b', 'sessions']);
  vi.useRealTimers();
});
