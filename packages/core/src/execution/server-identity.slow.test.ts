import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from '@toolwright/connectors';
import { afterEach, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createToolwright, type Toolwright } from '../toolwright.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-server-identity-'));
let opened: Toolwright[] = [];
afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  opened = [];
  rmSync(dataDir, { recursive: true, force: true });
});

const effects: unknown[] = [];

/** Opens a Toolwright whose server `bank` is this one. All of them list the same tool. */
async function open(serverKey: string | undefined): Promise<Toolwright> {
  const bank: Connector = {
    name: 'bank',
    serverKey,
    status: () => ({ state: 'ready', starts: 1 }),
    tools: async () => [{ name: 'pay', inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }],
    call: async (_tool, args) => effects.push([serverKey, args]),
    onToolsChanged: () => () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const toolwright = await createToolwright({
    dataDir,
    sandbox: 'quickjs',
    check: false,
    policy: { preset: 'careful' },
    waits: { graceMs: 0 },
    connectors: [bank],
  });
  opened.push(toolwright);
  return toolwright;
}

const PAY = `return [await callMCPTool('bank__pay', { to: 'ann' }), await callMCPTool('bank__pay', { to: 'bob' })].length`;

test('an approval holds for its server only: another one behind the same name is asked about again', async () => {
  const first = await open('one');
  const { executionId: id } = await first.execute(PAY);
  await first.executions.decide(id, { action: 'approve', covers: { next: 5 } });
  await first.close();

  const second = await open('two');
  expect((await second.executions.resume(id)).status).toBe('suspended');
  expect(effects).toEqual([]);
  const [again] = await second.executions.questions(id);
  expect(again).toMatchObject({
    call: 1,
    arguments: { to: 'ann' },
    rule: 'the preset "careful"; the server of this tool has another command or address than when this was asked before',
  });
  await second.executions.decide(id, { action: 'approve' });
  await second.executions.resume(id);
  expect(effects).toEqual([['two', { to: 'ann' }]]);
  expect(await second.executions.questions(id)).toMatchObject([{ call: 2, rule: 'the preset "careful"' }]);
});

test('an approved dry run holds for its server only', async () => {
  effects.length = 0;
  const first = await open('one');
  const { executionId } = await first.execute(PAY, { dryRun: true });
  await first.executions.decide(executionId, { action: 'approve' });
  await first.close();

  const second = await open('two');
  const result = await second.execute(PAY, { approved: executionId });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'DRY_RUN_MISMATCH' } });
  expect(JSON.stringify(result)).toContain('The server of the tool has another command or address now.');
  expect(effects).toEqual([]);
});

test('questions of a version without server codes keep their decisions', async () => {
  effects.length = 0;
  const first = await open(undefined);
  const { executionId: id } = await first.execute(PAY);
  await first.executions.decide(id, { action: 'approve', covers: { next: 5 } });
  await first.close();

  const second = await open('one');
  expect((await second.executions.resume(id)).status).toBe('completed');
  expect(effects).toHaveLength(2);
  expect(await failureOf(second.executions.resume(id))).toMatchObject({ code: 'EXECUTION_ENDED' });
});
