import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { rowOfJournal } from '../../../../../test/fixtures/execution-rows.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { memoryBus } from '../../../../storage/src/buses/memory.ts';
import { exportAuditRecords, importAuditRecords } from '../../../../storage/src/copy/audit-records.ts';
import { openPostgres } from '../../../../storage/src/postgres/connection.ts';
import { exportSessions, importSessions } from '../../sessions/transfer.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../toolwright.ts';
import { openFolderRows } from '../../workspaces/versioned/rows.ts';
import { exportExecutions, importExecutions } from './copy.ts';
import { postgresExecutions } from './postgres.ts';

let effects: unknown[] = [];
let opened: Toolwright[] = [];
const close = async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  opened = [];
};
afterEach(async () => {
  await close();
  effects = [];
});

async function open(options: ToolwrightOptions): Promise<Toolwright> {
  const run = async (given: unknown) => effects.push(given);
  const toolwright = await createToolwright({
    sandbox: 'quickjs',
    check: false,
    pin: 'off',
    waits: { graceMs: 0 },
    policy: { preset: 'careful' },
    tools: { bank: { tools: { pay: { description: 'Pays', inputSchema: { type: 'object' }, run } } } },
    ...options,
  } as ToolwrightOptions);
  opened.push(toolwright);
  return toolwright;
}

/** Returns a new data folder with the keys of another one. */
function folderWithKeysOf(dataDir: string): string {
  const folder = temporaryFolder();
  for (const key of ['master.key', 'journal.key']) {
    if (readdirSync(dataDir).includes(key)) copyFileSync(join(dataDir, key), join(folder, key));
  }
  return folder;
}

const USER = 'ada \u0000 "☃"';
const owner = { userId: USER };
const SESSION = { ...owner, sessionId: 'moves' };
const ASKS = `await fs.appendFile('/workspace/log', 'x');
  await callMCPTool('bank__pay', { to: 'ann@example.com' });
  await fs.appendFile('/workspace/log', 'y');
  return fs.readFile('/workspace/log', 'utf8')`;

/** Fills a data folder with an ended, two suspended and an interrupted execution. */
async function fill(dataDir: string) {
  const toolwright = await open({ dataDir });
  const ended = await toolwright.execute('return "v".repeat(40_000)', owner);
  const waits = await toolwright.execute(ASKS, { ...SESSION, createSession: true });
  const decided = await toolwright.execute(ASKS, { ...owner, sessionId: 'decided', createSession: true });
  await toolwright.executions.decide(decided.executionId, { ...owner, action: 'approve' });
  const cut = await toolwright.execute('return 1', owner);
  await close();
  const path = join(dataDir, 'executions', `${cut.executionId}.jsonl`);
  // Only its start and half a line are left.
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]}\n{"entry":"ca`);
  await rowOfJournal(dataDir, cut.executionId);
  return { ended, waits, decided, cut };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Checks that everything is there, and lets the suspended executions go on. */
async function check(toolwright: Toolwright, { ended, waits, decided, cut }: Filled) {
  const { executions } = toolwright;
  const statuses = [
    [ended, 'completed'],
    [waits, 'suspended'],
    [decided, 'suspended'],
    [cut, 'interrupted'],
  ] as const;
  const expected = statuses.map(([{ executionId }, status]) => [executionId, status]).sort();
  const listed = (await executions.list(owner)).executions.map(({ id, status }) => [id, status]);
  expect(listed.sort()).toEqual(expected);
  const found = (await executions.find({ ...owner, total: true })).executions.map(({ id, status }) => [id, status]);
  expect(found.sort()).toEqual(expected);
  expect((await executions.journal(waits.executionId, USER)).entries.length).toBeGreaterThan(3);
  const path = `/workspace/results/${ended.executionId}.json`;
  expect((await executions.file(ended.executionId, path, USER))?.length).toBe(40_002);
  expect(await executions.file(ended.executionId, '/workspace/other', USER)).toBeUndefined();
  expect(await failureOf(executions.file(ended.executionId, path, 'eve'))).toMatchObject({ code: 'UNKNOWN_EXECUTION' });
  await executions.decide(waits.executionId, { ...owner, action: 'approve' });
  for (const { executionId } of [waits, decided]) {
    // Each change of the past is there once.
    expect(await executions.resume(executionId, owner)).toMatchObject({ status: 'completed', value: 'xy' });
  }
  expect(await executions.resume(cut.executionId, owner)).toMatchObject({ status: 'completed', value: 1 });
  expect(effects).toEqual([{ to: 'ann@example.com' }, { to: 'ann@example.com' }]);
}

needsPostgres.describe('the executions of a data folder', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('are listed, followed and continued in a database, also after a second copy', async () => {
    const [dataDir, store] = [temporaryFolder(), await postgres.create()];
    const filled = await fill(dataDir);
    const counts: number[] = [];
    const onCopied = (count: number) => void counts.push(count);
    expect(await importExecutions(dataDir, { store }, { onCopied })).toMatchObject({ executions: 4, unreadable: 0 });
    expect(counts).toEqual([4]);
    expect(await failureOf(importExecutions(dataDir, { store }))).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await importExecutions(dataDir, { store }, { overwrite: true })).toMatchObject({ executions: 4 });
    await importSessions(dataDir, { store });
    await check(await open({ dataDir: folderWithKeysOf(dataDir), store }), filled);
  });

  it('pass through a database into another database and another folder', async () => {
    const [dataDir, store, other] = [temporaryFolder(), await postgres.create(), await postgres.create()];
    const filled = await fill(dataDir);
    const { copied } = await importExecutions(dataDir, { store });
    await importSessions(dataDir, { store });
    const copies = [folderWithKeysOf(dataDir), folderWithKeysOf(dataDir)] as const;
    for (const copy of copies) {
      await exportSessions({ store }, copy);
      expect(await exportExecutions({ store }, copy)).toEqual(copied);
    }
    await importExecutions(copies[0], { store: other });
    await importSessions(copies[0], { store: other });
    await check(await open({ dataDir: folderWithKeysOf(dataDir), store: other }), filled);
    await close();
    effects = [];
    await check(await open({ dataDir: copies[1] }), filled);
  });

  it('keep their sessions and files in a database while they wait or may go on, however old these are', async () => {
    const [dataDir, store] = [temporaryFolder(), await postgres.create()];
    const { ended, waits } = await fill(dataDir);
    await importExecutions(dataDir, { store });
    const names = [ended, waits].map(({ executionId }) => `execution/${executionId}`);
    const values = names.map((name) => `('${name}', 1, clock_timestamp() - interval '200 days')`).join();
    postgres.sql(store, `insert into toolwright.folders (name, version, changed_at) values ${values}`);
    await using database = openPostgres({ url: store });
    const expired: string[] = [];
    const rows = openFolderRows(database, { ttlMs: 5_000 });
    for await (const page of rows.listExpired(86_400_000)) expired.push(...page);
    expect(expired).toEqual(names.slice(0, 1));
    await using storage = postgresExecutions({ database, bus: memoryBus(), dataDir: folderWithKeysOf(dataDir) });
    const { signal } = new AbortController();
    const { usedSessions } = await storage.purge({ oldestMs: Number.NEGATIVE_INFINITY, now: Date.now(), signal });
    expect([...usedSessions].sort()).toEqual(['decided', 'moves']);
  });

  it('have audit records, which are copied once', async () => {
    const [dataDir, target] = [temporaryFolder(), temporaryFolder()];
    const store = await postgres.create();
    const base = { user: USER, session: 's', event: 'restore', placeholder: 'EMAIL_1', type: 'EMAIL' };
    const records = ['2026-01-31T10:00:00.000Z', '2026-02-01T10:00:00.123Z'].map((at) => ({ at, ...base }));
    mkdirSync(join(dataDir, 'audit'));
    for (const record of records)
      writeFileSync(join(dataDir, 'audit', `${record.at.slice(0, 7)}.jsonl`), `${JSON.stringify(record)}\n{"at`);
    expect([await importAuditRecords(dataDir, store), await importAuditRecords(dataDir, store)]).toEqual([2, 0]);
    expect(await exportAuditRecords(store, target)).toBe(2);
    expect(readdirSync(join(target, 'audit')).sort()).toEqual(['2026-01.cluster.jsonl', '2026-02.cluster.jsonl']);
    expect(await importAuditRecords(target, store)).toBe(0);
  });
});
