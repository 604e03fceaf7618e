import { afterEach, expect, it } from 'vitest';
import { decisionRows } from '../../packages/core/src/history/storages/decision-rows.ts';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { sqliteBus } from '../../packages/storage/src/buses/sqlite.ts';
import { dataFolder } from '../../packages/storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../packages/storage/src/data-folder/integrity.ts';
import { openSqlite } from '../../packages/storage/src/sqlite/database.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const opened: Toolwright[] = [];
afterEach(async () => {
  for (const toolwright of opened.splice(0)) await toolwright.close();
});

/** Opens a Toolwright of a data folder, with a tool of this description. */
async function open(dataDir: string, description: string, paid: unknown[]): Promise<Toolwright> {
  const inputSchema = { type: 'object', properties: { amount: {} } };
  const toolwright = await createToolwright({
    ...{ dataDir, sandbox: 'quickjs', check: false, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
    tools: { bank: { tools: { pay: { description, inputSchema, run: (args) => paid.push(args) } } } },
  });
  opened.push(toolwright);
  return toolwright;
}

/** Asks about a call, and again after a change of the tool. Returns the binding of the first question. */
async function askedAgain() {
  const dataDir = temporaryFolder();
  const paid: unknown[] = [];
  const before = await open(dataDir, 'Pays', paid);
  const { executionId: id } = await before.execute(`return callMCPTool('bank__pay', { amount: 1 })`);
  const [shown] = await before.executions.questions(id);
  const after = await open(dataDir, 'Pays twice', paid);
  expect((await after.executions.resume(id)).status).toBe('suspended');
  return { id, dataDir, paid, binding: String(shown?.binding), executions: after.executions };
}

it('a decision that was stored while the question changed decides nothing, and keeps nobody from deciding', async () => {
  const { id, paid, dataDir, binding, executions } = await askedAgain();
  const folders = dataFolder(dataDir);
  await using database = openSqlite(folders.state);
  await using bus = sqliteBus(database);
  const late = decisionRows({ database, bus, key: () => journalKey(folders.journalKey) });
  const stored = { executionId: id, number: 1, action: 'approve' as const, binding, at: new Date().toISOString() };
  expect(await late.add(stored)).toBe(true);
  expect(await executions.questions(id)).toHaveLength(1);
  expect((await executions.resume(id)).status).toBe('suspended');
  expect(paid).toEqual([]);
  expect(await executions.decide(id, { action: 'deny' })).toEqual([1]);
});
