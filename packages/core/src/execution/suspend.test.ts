import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../toolwright.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-suspend-'));
const { writeSync } = fs;
let isFull = false;
/** Times of the refused writes, in milliseconds. */
const refused: number[] = [];

// Writes of the suspension fail as on a full disk, where the entries before had the last space.
beforeAll(() => {
  fs.writeSync = ((file: number, data: Buffer, ...rest: number[]) => {
    if (isFull && data.includes('"entry":"suspend"')) {
      refused.push(performance.now());
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
    return writeSync(file, data, ...rest);
  }) as typeof writeSync;
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.writeSync = writeSync;
  syncBuiltinESMExports();
  rmSync(dataDir, { recursive: true, force: true });
});

test('on a full disk, a program keeps its sandbox and its questions, and is suspended when there is space again', async () => {
  const logged: string[] = [];
  const log = (fields: object) => void logged.push(String((fields as { err?: Error }).err?.message));
  const effects: string[] = [];
  const run = async () => effects.push('paid');
  await using toolwright = await createToolwright({
    dataDir,
    sandbox: warmQuickjs(),
    check: false,
    policy: { preset: 'careful' },
    waits: { graceMs: 0 },
    logger: { debug: log, info: log, warn: log, error: log },
    tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
  });
  isFull = true;
  let id = '';
  const running = toolwright.execute(`return callMCPTool('bank__pay')`, {
    onStart: (started) => {
      id = started;
    },
  });
  // One attempt a second, and not one after the other.
  await until(() => refused.length === 3);
  expect((refused[2] as number) - (refused[0] as number)).toBeGreaterThan(1_800);
  expect(logged.filter((text) => text.includes('ENOSPC')).length).toBeGreaterThanOrEqual(2);
  expect((await toolwright.executions.get(id)).status).toBe('running');
  expect(await toolwright.executions.questions(id)).toHaveLength(1);
  isFull = false;
  expect((await running).status).toBe('suspended');
  await toolwright.executions.decide(id, { action: 'approve' });
  expect(await toolwright.executions.resume(id)).toMatchObject({ status: 'completed', value: 1 });
  expect(effects).toEqual(['paid']);
});
