import { expect, test } from 'vitest';
import { createRunningTask } from './running-task.ts';
import { initialState } from './state.ts';

const record = {
  id: 'a',
  userId: 'local',
  sessionId: 's',
  task: 'x',
  model: 'test/x',
  language: 'typescript' as const,
  limits: { steps: 1, tokens: 1, costUsd: 1, timeoutMs: 1 },
  createdAt: '2026-01-01T00:00:00.000Z',
};

test('a full disk stops the task, and appending an entry does not throw', async () => {
  const writer = {
    append: () => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    },
    size: () => 0,
    close: () => undefined,
  };
  const lease = { run: 1, keep: () => undefined, isHeld: () => true, release: () => undefined };
  const live = createRunningTask(initialState(record), { path: '/nowhere', writer, lease });
  const changed = live.changed();
  live.emit({ type: 'text-delta', text: 'x' });
  await changed;
  expect(live.signal.reason).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('ENOSPC') });
  live.end({ status: 'failed' });
  live.close();
  expect(await live.closed).toMatchObject({ id: 'a', status: 'failed', endedAt: expect.any(String) });
});
