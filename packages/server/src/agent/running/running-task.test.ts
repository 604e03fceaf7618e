import { dataFolderError } from '@toolwright/storage/internal';
import { expect, test } from 'vitest';
import { initialState } from '../state.ts';
import type { OwnTranscript } from '../storages/storage.ts';
import { createRunningTask } from './running-task.ts';

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
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const transcript: OwnTranscript = {
    entries: [],
    isCancelRequested: false,
    listen: () => undefined,
    isHeld: () => true,
    append: () => {
      throw dataFolderError('/nowhere', full);
    },
    flushed: async () => undefined,
    release: async () => undefined,
  };
  const live = createRunningTask(initialState(record), transcript);
  live.emit({ type: 'text-delta', text: 'x' });
  expect(live.signal.reason).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('ENOSPC') });
  live.end({ status: 'failed' });
  await live.close();
  expect(await live.closed).toMatchObject({ id: 'a', status: 'failed', endedAt: expect.any(String) });
});
