import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/fixtures/server.ts';
import { createToolwright } from '../toolwright.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-suspend-'));
const { writeSync } = fs;
let isFull = false;
let refused = 0;

// Writes of the suspension fail as on a full disk, where the entries before had the last space.
beforeAll(() => {
  fs.writeSync = ((file: number, data: Buffer, ...rest: number[]) => {
    if (isFull && data.includes('"entry":"suspend"')) {
      refused++;
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
    ...{ dataDir, sandbox: 'quickjs', check: false, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
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
  await until(() => refused > 0);
  await sleep(300);
  // One attempt a second, and not one after the other.
  expect([refused, logged.filter((text) => text.includes('ENOSPC')).length]).toEqual([1, 1]);
  expect((await toolwright.executions.get(id)).status).toBe('running');
  expect(await toolwright.executions.questions(id)).toHaveLength(1);
  isFull = false;
  expect((await running).status).toBe('suspended');
  await toolwright.executions.decide(id, { action: 'approve' });
  expect(await toolwright.executions.resume(id)).toMatchObject({ status: 'completed', value: 1 });
  expect(effects).toEqual(['paid']);
});
