import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type Toolwright } from '../../toolwright.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-decide-'));
let opened: Toolwright[] = [];
afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  opened = [];
  rmSync(dataDir, { recursive: true, force: true });
});

const effects: unknown[] = [];
async function open(description: string): Promise<Toolwright> {
  const inputSchema = { type: 'object', properties: { to: { type: 'string' } } } as const;
  const pay = { description, inputSchema, run: async (args: unknown) => effects.push(args) };
  const toolwright = await createToolwright({
    dataDir,
    sandbox: warmQuickjs(),
    check: false,
    policy: { preset: 'careful' },
    waits: { graceMs: 0 },
    tools: { bank: { tools: { pay } } },
  });
  opened.push(toolwright);
  return toolwright;
}

test('a decision about a question that has changed since it was shown decides nothing', async () => {
  const first = await open('Pays');
  const { executionId: id } = await first.execute(`return callMCPTool('bank__pay', { to: 'ann' })`);
  const [shown] = await first.executions.questions(id);
  const bindings = [String(shown?.binding)];
  await first.close();

  // The tool is another one now. The execution asks again when it goes on.
  const second = await open('Pays, and tells everybody');
  expect((await second.executions.resume(id)).status).toBe('suspended');
  const late = await failureOf(second.executions.decide(id, { action: 'approve', bindings }));
  expect([late.code, late.message]).toEqual(['QUESTION_CHANGED', expect.stringContaining('Nothing was decided')]);

  const [again] = await second.executions.questions(id);
  expect(again).toMatchObject({ call: 1, arguments: { to: 'ann' } });
  expect(again?.binding).not.toBe(shown?.binding);
  await second.executions.decide(id, { action: 'approve', bindings: [String(again?.binding)] });
  expect((await second.executions.resume(id)).status).toBe('completed');
  expect(effects).toEqual([{ to: 'ann' }]);
});
