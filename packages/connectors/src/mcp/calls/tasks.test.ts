import { afterAll, expect, it } from 'vitest';
import { failureOf, fixture, until } from '../../../../../test/fixtures/server.ts';
import { mcpConnector } from '../../mcp.ts';

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
    ['TOOL_FAILED', expect.stringContaining('nobody can be asked during this call')],
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

it('gives the answers to the questions of a task once, and never sends the call again', async () => {
  const asked: unknown[] = [];
  const states: unknown[] = [];
  const answer = await jobs.call(
    'ask',
    {},
    {
      onPaused: (state) => states.push(state),
      async onInput({ details, isLive }) {
        asked.push([details.mode, isLive]);
        return { action: 'answer', value: { branch: 'main' } };
      },
    },
  );
  expect(answer).toEqual([1, { action: 'accept', content: { branch: 'main' } }]);
  expect(asked).toEqual([['form', false]]);
  expect(states).toMatchObject([
    { round: 1, requests: {}, task: { taskId: expect.stringMatching(/^ask-/) } },
    { round: 2, requests: { branch: { method: 'elicitation/create' } } },
    { round: 2, requests: {}, task: { answered: ['branch'] } },
  ]);
});

it('polls the task of a paused call, and leaves it to others when the wait is released', async () => {
  const states: unknown[] = [];
  const ending = new AbortController();
  let released = Promise.resolve();
  const first = failureOf(
    jobs.call(
      'forever',
      {},
      {
        signal: ending.signal,
        onPaused: (state) => states.push(state),
        onTaskWait({ release, untilMs }) {
          expect(untilMs).toBeGreaterThan(Date.now());
          released = release().then(() => ending.abort());
          return () => undefined;
        },
      },
    ),
  );
  expect((await first).code).toBe('CANCELLED');
  await released;
  const { taskId } = (states[0] as { task: { taskId: string } }).task;
  expect(JSON.stringify(await jobs.call('seen', {}))).not.toContain(`cancel ${taskId}`);
  const again = new AbortController();
  const second = failureOf(jobs.call('forever', {}, { paused: states[0], signal: again.signal }));
  setTimeout(() => again.abort(), 300);
  expect((await second).code).toBe('CANCELLED');
  await until(async () => JSON.stringify(await jobs.call('seen', {})).includes(`cancel ${taskId}`));
});
