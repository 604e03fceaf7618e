import { expect, it } from 'vitest';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { claimExecution } from './resume.ts';

/** Claims an execution that was continued so often without getting further. Resolves with what happened. */
async function claim(failedResumes: number, onlyWithProgress: boolean): Promise<unknown> {
  const recording = { start: { id: 'e1' }, resumes: 7, failedResumes, replies: [] } as unknown as Recording;
  const acquire = async () => ({ lease: { release: async () => undefined } });
  const storage = { acquire } as unknown as ExecutionStorage;
  const options = { storage, read: async () => recording, isAutomatic: true, onlyWithProgress };
  return claimExecution(options).then(
    () => 'claimed',
    ({ code, message, details }) => [code, message, details],
  );
}

it('leaves an execution to a person after eight attempts that got no further', async () => {
  expect([await claim(7, true), await claim(8, false)]).toEqual(['claimed', 'claimed']);
  expect(await claim(8, true)).toEqual([
    'NOT_SUPPORTED',
    'Execution e1 was continued 8 times, and its process ended or lost it each time. Find the reason in the log of the server, then run: toolwright executions resume e1',
    { failedResumes: 8 },
  ]);
});
