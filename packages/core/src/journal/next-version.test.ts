import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createChain, journalKey } from '../../../storage/src/data-folder/integrity.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../toolwright.ts';

/** The first members of a line, its code, and the rest. */
const LINE = /^(\{"entry":"\w+","at":"[^"]{24}"),"code":"[\w-]{20}"(.*)$/;

/** The first members of a line, and the rest after its code. */
type Line = readonly [string, string];

let effects: number[] = [];
let opened: Toolwright[] = [];
afterEach(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  [effects, opened] = [[], []];
});

async function open(dataDir: string): Promise<Toolwright> {
  const run = async ({ amount }: { amount?: number }) => effects.push(amount ?? 0);
  const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } } as const;
  const toolwright = await createToolwright({
    dataDir,
    sandbox: warmQuickjs(),
    store: 'memory',
    check: false,
    waits: { graceMs: 0 },
    tools: { bank: { tools: { pay: { description: 'Pays', inputSchema, run } } } },
    policy: { rules: [{ arguments: { properties: { amount: { maximum: 10 } } }, action: 'allow' }, { action: 'ask' }] },
  } as ToolwrightOptions);
  opened.push(toolwright);
  return toolwright;
}

/** Leaves an execution that waits for a decision about its second call, and rewrites the lines of its journal with valid codes. */
async function suspendedBy(change: (lines: readonly Line[]) => Line[]) {
  const dataDir = temporaryFolder();
  const first = await open(dataDir);
  const code = `await callMCPTool('bank__pay', { amount: 1 }); return callMCPTool('bank__pay', { amount: 100 })`;
  const { executionId, status } = await first.execute(code);
  expect([status, effects]).toEqual(['suspended', [1]]);
  await first.close();
  const path = join(dataDir, 'executions', `${executionId}.jsonl`);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const parts = lines.map((line) => LINE.exec(line)?.slice(1) as unknown as Line);
  const chain = createChain(journalKey(join(dataDir, 'journal.key')), executionId);
  writeFileSync(
    path,
    change(parts)
      .map(([head, rest]) => `${chain.seal(head, rest)}\n`)
      .join(''),
  );
  return { executionId, toolwright: await open(dataDir) };
}

it('ignores members and entries of the next version, and finishes the execution', async () => {
  const unknown: Line = ['{"entry":"forecast","at":"2026-11-26T00:00:00.000Z"', ',"number":1,"of":{"a":[null]}}'];
  const { executionId, toolwright } = await suspendedBy((lines) =>
    lines.flatMap(([head, rest], index): Line[] => {
      const extended: Line = [head, `,"nextVersion":{"deep":[1,{"b":null}]}${rest}`];
      // The first line has the format near its start, and the last one decides the status.
      return index === 0 ? [[head, rest]] : [unknown, extended];
    }),
  );
  const { executions } = toolwright;
  expect((await executions.get(executionId)).status).toBe('suspended');
  expect(await executions.calls(executionId)).toMatchObject([{ number: 1, tool: 'bank__pay', result: 1 }]);
  expect((await executions.journal(executionId)).entries.filter(({ entry }) => entry === 'forecast')).not.toEqual([]);
  expect(await executions.decide(executionId, { action: 'approve' })).toEqual([2]);
  expect(await executions.resume(executionId)).toMatchObject({ status: 'completed', value: 2 });
  expect(effects).toEqual([1, 100]);
  expect(await executions.replay(executionId)).toMatchObject({ status: 'identical' });
});

it('refuses a journal of the next format with the fix, sends nothing, and shows it', async () => {
  const { executionId, toolwright } = await suspendedBy((lines) =>
    lines.map(([head, rest]) => [head, rest.replace('"format":2', '"format":3')]),
  );
  const { executions } = toolwright;
  const message = `The journal of execution ${executionId} has format 3 of a newer version of Toolwright, and this version replays up to format 2. Upgrade Toolwright on this machine.`;
  const refused = [executions.decide(executionId, { action: 'approve' }), executions.resume(executionId)];
  for (const failure of await Promise.all(refused.map(failureOf))) {
    expect(failure).toMatchObject({ code: 'NOT_SUPPORTED', message, details: { newerFormat: 3 } });
  }
  expect(effects).toEqual([1]);
  expect((await executions.get(executionId)).status).toBe('suspended');
});
