import { type ExecutionRecord, type Toolwright, ToolwrightError } from '@toolwright/core';
import { expect, it } from 'vitest';
import type { ClaimedWork } from '../../queue/queue.ts';
import { runExecution } from './run-work.ts';

const work = (request: object): ClaimedWork => ({
  id: '7a3d1c52-6f0b-4d0e-9b2a-0c1d2e3f4a5b',
  kind: 'execution',
  worker: 'w',
  fence: 2,
  attempts: 1,
  isCancelled: false,
  waitedMs: 0,
  request: { user: 'ada', replyTo: '', listens: {}, trace: {}, options: {}, ...request },
});

/** Runs work with a Toolwright that cannot continue the execution. */
function run(request: object, error?: unknown) {
  const executions = { get: async () => ({}) as ExecutionRecord, resume: () => Promise.reject(error) };
  const toolwright = { executions } as unknown as Toolwright;
  const logger = { error: () => undefined, warn: () => undefined };
  const context = {
    signal: new AbortController().signal,
    send: () => undefined,
    ask: () => undefined,
    logger,
    queue: { leftMs: () => 0 },
  };
  return runExecution(work(request), { toolwright, ...context });
}

it('leaves work of a newer version to the workers of that version', async () => {
  const left = { released: { delayMs: 1_000 } };
  expect(await run({ run: 'method of the next version', code: 1 })).toEqual(left);
  const newer = new ToolwrightError('NOT_SUPPORTED', 'format 3', { details: { newerFormat: 3 } });
  expect(await run({ run: 'execute', code: 'return 1' }, newer)).toEqual(left);
  expect(await run({ run: 'resume' }, newer)).toEqual(left);
});

it('ends work whose journal has the format of an older version', async () => {
  const older = new ToolwrightError('NOT_SUPPORTED', 'format 1');
  expect(await run({ run: 'resume' }, older)).toMatchObject({
    ended: { failure: { code: 'NOT_SUPPORTED', message: 'format 1' } },
  });
});
