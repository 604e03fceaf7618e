import { afterEach, expect, test, vi } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import type { ListedExecution } from '../api/types.ts';
import { endTracker } from './ended.ts';

afterEach(() => void vi.useRealTimers());

test('fetches skills and pins when executions have ended: at once, and later ones together', () => {
  vi.useFakeTimers();
  const fetched: unknown[] = [];
  const track = endTracker(
    partial({ invalidateQueries: async (filters) => void fetched.push(filters?.queryKey?.[0]) }),
  );
  const change = (status: string) => track([{ status } as ListedExecution]);
  change('running');
  expect(fetched).toEqual([]);
  change('completed');
  expect(fetched).toEqual(['skills', 'pins']);
  change('failed');
  change('cancelled');
  expect(fetched).toHaveLength(2);
  vi.advanceTimersByTime(2_000);
  expect(fetched).toHaveLength(4);
  vi.advanceTimersByTime(10_000);
  expect(fetched).toHaveLength(4);
  change('stopped');
  expect(fetched).toHaveLength(6);
});
