import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createToolwright } from '../../toolwright.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-value-'));
const toolwright = await createToolwright({
  dataDir,
  waits: { graceMs: 0 },
  policy: { preset: 'careful' },
  tools: {
    bank: {
      tools: {
        pay: {
          description: 'Pays',
          inputSchema: { type: 'object' },
          run: async () => ({ paid: true }),
        },
        slow: {
          description: 'Takes a while',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
          run: () => sleep(500, { slow: true }),
        },
      },
    },
  },
});
afterAll(async () => {
  await toolwright.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const readValue = (id: string) => toolwright.execute(`return await execution('${id}')`);

test.each([
  ['typescript', (id: string) => `const { rows } = await execution('${id}'); return rows.length;`],
  ['python', (id: string) => `len((await execution("${id}"))["rows"])`],
] as const)('a program in %s reads the value of an earlier execution', async (language, program) => {
  const { executionId } = await toolwright.execute('return { rows: [1, 2, 3] }');
  const result = await toolwright.execute(program(executionId), { language });
  expect(result).toMatchObject({ status: 'completed', value: 3 });
  // The answer is in the journal: the program can be replayed without the other execution.
  await toolwright.executions.remove(executionId);
  expect(await toolwright.executions.replay(result.executionId)).toMatchObject({ status: 'identical' });
});

test('it waits for an execution that runs', async () => {
  let started: (id: string) => void = () => undefined;
  const id = new Promise<string>((resolve) => {
    started = resolve;
  });
  const running = toolwright.execute(`return await callMCPTool('bank__slow')`, { onStart: started });
  expect(await readValue(await id)).toMatchObject({ status: 'completed', value: { slow: true } });
  await running;
});

test('a suspended execution has its value after the decision', async () => {
  const { executionId: id } = await toolwright.execute(`return await callMCPTool('bank__pay')`);
  expect(await readValue(id)).toMatchObject({
    status: 'failed',
    error: { kind: 'user', code: 'EXECUTION_SUSPENDED', message: expect.stringContaining('waits for: approval') },
  });
  await toolwright.executions.decide(id, { action: 'approve', by: 'ann' });
  await toolwright.executions.resume(id);
  expect(await readValue(id)).toMatchObject({ status: 'completed', value: { paid: true } });
});

test.each([
  [`throw new RangeError('no rows')`, 'RangeError: no rows'],
  ['while (true) {}', 'ran longer than 1000 ms'],
])('%s has no value, and the error has the reason', async (program, reason) => {
  const { executionId } = await toolwright.execute(program, { limits: { timeoutMs: 1_000 } });
  expect(await readValue(executionId)).toMatchObject({
    status: 'failed',
    error: { kind: 'user', code: 'EXECUTION_FAILED', message: expect.stringContaining(reason) },
  });
});

test('executions of other users are unknown', async () => {
  const { executionId } = await toolwright.execute('return 1', { userId: 'bob' });
  expect(await readValue(executionId)).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_EXECUTION' } });
  expect(await readValue('../keys')).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_EXECUTION' } });
});
