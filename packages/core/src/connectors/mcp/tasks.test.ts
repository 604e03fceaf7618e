import { afterAll, expect, it } from 'vitest';
import { failureOf, fixture, until } from '../../../../../test/fixtures/server.ts';
import { mcpConnector } from '../mcp.ts';

const jobs = mcpConnector('jobs', { ...fixture('jobs'), protocol: 'modern' });
afterAll(() => jobs[Symbol.asyncDispose]());

it('polls a task of a server until its result, and reports its state', async () => {
  const states: unknown[] = [];
  expect(await jobs.call('build', {}, { onProgress: ({ message }) => states.push(message) })).toEqual({ polls: 3 });
  expect(states).toEqual(['queued']);
});

it('reports tasks that fail, are cancelled, need input or are invalid', async () => {
  const reports = ['break', 'cancelled', 'ask', 'refuse'].map(async (tool) => {
    const { code, message } = await failureOf(jobs.call(tool, {}));
    return [code, message];
  });
  expect(await Promise.all(reports)).toEqual([
    ['TOOL_FAILED', 'break failed: The disk is full.'],
    ['TOOL_FAILED', 'cancelled failed: its server cancelled the task.'],
    ['TOOL_FAILED', expect.stringContaining('ask failed: its task needs an answer of a person')],
    ['UPSTREAM_PROTOCOL', 'jobs answered the call of refuse with an invalid task.'],
  ]);
});

it('cancels a task at its server when the call is cancelled', async () => {
  const cancel = new AbortController();
  const call = failureOf(
    jobs.call('forever', {}, { signal: cancel.signal, onProgress: () => setTimeout(() => cancel.abort(), 50) }),
  );
  expect((await call).code).toBe('CANCELLED');
  await until(async () => JSON.stringify(await jobs.call('seen', {})).includes('cancel forever'));
});
