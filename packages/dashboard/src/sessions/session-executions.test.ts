import { expect, test } from 'vitest';
import type { ListedExecution } from '../api/types.ts';
import { sessionExecutions } from './session-executions.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

test('executions of the list and of the log are there once, newest first', () => {
  const logged = [
    { executionId: 'purged', status: 'completed', at: at(2), ms: 1_000, code: 'return 1' },
    { executionId: 'known', status: 'completed', at: at(4), ms: 1_000, code: 'return 2' },
  ] as const;
  const listed = [
    { executionId: 'new', status: 'running', startedAt: at(5), preview: 'return 3' },
    { executionId: 'known', status: 'completed', startedAt: at(3), endedAt: at(4), preview: '' },
  ] as unknown as ListedExecution[];
  const start = Date.parse(at(0));
  const found = sessionExecutions(logged, listed);
  expect(found.map(({ executionId, startMs, ms, code }) => [executionId, startMs - start, ms, code])).toEqual([
    ['new', 5_000, undefined, 'return 3'],
    ['known', 3_000, 1_000, 'return 2'],
    ['purged', 1_000, 1_000, 'return 1'],
  ]);
});
