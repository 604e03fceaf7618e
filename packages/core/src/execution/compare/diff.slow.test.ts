import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { createToolwright, type ToolwrightOptions } from '../../toolwright.ts';
import type { ExecutionRecord } from '../executions.ts';
import { type Compared, diffExecutions } from './diff.ts';

async function open(options: object = {}) {
  let answer = 0;
  const tool = { description: 'x', run: async ({ n }: { n?: number }) => ({ n, answer: n === 0 ? ++answer : 0 }) };
  return createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    store: 'memory',
    check: false,
    pii: { mode: 'off' },
    tools: { t: { tools: { pay: tool, look: tool } } },
    ...options,
  } as unknown as ToolwrightOptions);
}

const call = (tool: string, n: number) => `await callMCPTool('t__${tool}', { n });`.replace('{ n }', `{ n: ${n} }`);

test('a diff aligns calls in their order: the same, changed, removed and added ones', async () => {
  await using toolwright = await open();
  const run = async (...lines: string[]) => (await toolwright.execute(lines.join('\n'), { check: false })).executionId;
  const before = await run(
    call('pay', 1),
    call('look', 0),
    call('pay', 2),
    call('look', 5),
    'console.log("a"); return 1',
  );
  const after = await run(
    ...[call('look', 7), call('pay', 1), call('look', 0), call('pay', 3), 'console.log("b"); throw new Error("no")'],
  );
  const found = await toolwright.executions.diff(before, after);
  expect(found.calls).toEqual([
    { change: 'added', after: expect.objectContaining({ number: 1, tool: 't__look', arguments: { n: 7 } }) },
    // The same arguments, another answer.
    {
      change: 'changed',
      before: expect.objectContaining({ number: 2, result: { n: 0, answer: 1 } }),
      after: expect.objectContaining({ number: 3, result: { n: 0, answer: 2 } }),
    },
    {
      change: 'changed',
      before: expect.objectContaining({ number: 3, arguments: { n: 2 } }),
      after: expect.objectContaining({ number: 4, arguments: { n: 3 } }),
    },
    { change: 'removed', before: expect.objectContaining({ number: 4, tool: 't__look', arguments: { n: 5 } }) },
  ]);
  expect(found.program?.diff).toContain("-await callMCPTool('t__pay', { n: 2 });\n");
  expect(found.program?.diff).toContain("+await callMCPTool('t__pay', { n: 3 });\n");
  expect(found).toMatchObject({
    status: 'different',
    logs: [
      { change: 'removed', level: 'info', text: 'a' },
      { change: 'added', level: 'info', text: 'b' },
    ],
    outcome: {
      before: { status: 'completed', value: 1 },
      after: { status: 'failed', error: { message: 'no', line: 5 } },
    },
  });
  expect(await toolwright.executions.diff(before, before)).toEqual({ status: 'identical', calls: [], logs: [] });
  const again = await toolwright.executions.fork(before, { at: 4 });
  expect(await toolwright.executions.diff(before, again.executionId)).toMatchObject({ status: 'identical' });
});

test('placeholders stay placeholders, and executions of other users are unknown', async () => {
  await using toolwright = await open({ pii: { mode: 'redact' } });
  const program = (email: string) => `return callMCPTool('t__pay', { n: '${email}' })`;
  const { id: sessionId } = await toolwright.sessions.create();
  const [before, after] = [
    await toolwright.execute(program('ann@example.com'), { sessionId }),
    await toolwright.execute(program('bob@example.com'), { sessionId }),
  ].map(({ executionId }) => executionId);
  const text = JSON.stringify(await toolwright.executions.diff(before ?? '', after ?? ''));
  expect(JSON.parse(text)).toMatchObject({ status: 'different' });
  expect(text).toContain('EMAIL');
  const { code } = await failureOf(toolwright.executions.diff(before ?? '', after ?? '', 'eve'));
  expect(code).toBe('UNKNOWN_EXECUTION');
});

test('programs that differ too much have no diff, and the same program is no difference', () => {
  const compared = (source: string): Compared => ({
    recording: partial({ calls: new Map() }),
    record: { id: 'x', status: 'completed', source } as ExecutionRecord,
  });
  const program = (before: string, after: string) => diffExecutions(compared(before), compared(after)).program;
  expect(program('a\n'.repeat(3_000), 'b\n'.repeat(3_000))).toEqual({});
  expect(program('return 1', 'return 1')).toBeUndefined();
});

test('thousands of different calls are compared without an exact alignment', () => {
  const compared = (from: number): Compared => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const calls = numbers.map((number) => {
      const call = { number, mac: '', tool: 't__pay', arguments: { n: from + number }, startedAt: '' };
      return [number, call] as const;
    });
    const record = {
      id: 'x',
      status: 'completed',
      language: 'typescript',
      sandbox: 'quickjs',
      startedAt: '',
      source: '',
    };
    return { recording: partial({ calls: new Map(calls) }), record: record as Compared['record'] };
  };
  const used = processorTime();
  const { calls } = diffExecutions(compared(0), compared(50_000));
  expect(used()).toBeLessThan(30_000);
  expect(calls).toHaveLength(10_000);
  expect(calls[0]).toMatchObject({
    change: 'changed',
    before: { arguments: { n: 1 } },
    after: { arguments: { n: 50_001 } },
  });
}, 60_000);
