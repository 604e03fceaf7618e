import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { addRows } from '../../../../../test/fixtures/execution-rows.ts';
import { until } from '../../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { openOwner, startOwner } from '../../../../storage/src/leases/owner.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { ADD_DECISION } from '../../history/storages/decision-rows.ts';
import { fileExecutions } from '../../history/storages/files.ts';
import { isExecutionId } from '../../journal/file.ts';
import { openJournal } from '../../journal/journal.ts';
import { createSessionStore } from '../../sessions/sessions.ts';
import { createToolwright, type ToolwrightOptions } from '../../toolwright.ts';
import { purgeExpired } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const ID_LENGTH = 36;
const USED = "update toolwright.sessions set last_used_at = now() - $2 * interval '1 day' where id = $1";
const quota = { workspaceBytes: 10_000, workspaceFiles: 100 };
const host = { name: 'here', pid: 1 };
/** An owner whose lease has ended. */
const dead = randomUUID();

async function open() {
  const dataDir = temporaryFolder();
  const owner = openOwner(dataDir);
  onTestFinished(() => owner[Symbol.asyncDispose]());
  const here = (await owner.lease()).id;
  const executions = join(dataDir, 'executions');
  const age = (path: string, days: number) => {
    const time = new Date(Date.now() - days * DAY_MS);
    utimesSync(join(dataDir, path), time, time);
  };
  /** The names that a test gives to its executions, by their ids. */
  const named = new Map<string, string>();
  const journal = (
    name: string,
    days: number,
    owner: string | undefined,
    { session = '', ended = false, suspended = false, process = host } = {},
  ) => {
    const id = isExecutionId(name) ? name : randomUUID();
    named.set(id, name);
    const whose = session ? { id, session } : { id };
    const how = {
      language: 'typescript',
      sandbox: 's',
      host: process,
      ...(owner ? { owner } : {}),
      source: '1',
      catalogHash: 'h',
      seed: 1,
      epochMs: 1,
    };
    const { close, suspend, abandon } = openJournal(
      executions,
      { ...whose, ...how },
      { maxBytes: 100_000, key: Buffer.alloc(32) },
    );
    if (ended) close('completed');
    else if (suspended) suspend({ waitingFor: ['approval'], wakeMs: Date.now() + DAY_MS, ranMs: 1 });
    else if (owner !== here) abandon();
    mkdirSync(join(executions, `${id}.files/results`), { recursive: true });
    writeFileSync(join(executions, `${id}.files/results/a`), 'A');
    age(`executions/${id}.jsonl`, days);
  };
  const executionsHere = fileExecutions({ dataDir });
  const store = createSessionStore({ dataDir, executions: executionsHere, quota });
  const { sessions } = store;
  const run = async (retentionDays = 90, { signal } = new AbortController()) => {
    await addRows(dataDir);
    return purgeExpired({ dataDir, executions: executionsHere, sessions: store, retentionDays, signal });
  };
  const session = async (days: number) => {
    const { id } = await sessions.create();
    await (await sessions.files(id)).write('/workspace/a', Buffer.from('A'), 'replace');
    await using database = openSqlite(dataFolder(dataDir).state);
    await database.write(USED, [id, days]);
    return id;
  };
  const names = (folder: string) =>
    readdirSync(join(dataDir, folder))
      .map((name) => (named.get(name.slice(0, ID_LENGTH)) ?? name.slice(0, ID_LENGTH)) + name.slice(ID_LENGTH))
      .sort();
  return { here, dataDir, age, journal, run, session, names };
}

/** Returns the lease of another living process. */
async function otherOwner(dataDir: string): Promise<string> {
  const owner = startOwner(openSqlite(dataFolder(dataDir).state));
  onTestFinished(() => owner[Symbol.asyncDispose]());
  return (await owner.lease()).id;
}

describe('a purge', () => {
  test('deletes expired journals with their files, and files of dead processes, but nothing that may be in use', async () => {
    const { here, journal, run, names } = await open();
    journal('old-ended', 91, dead, { ended: true });
    journal('old-cut', 91, dead);
    journal('old-running', 91, here);
    journal('old-unnamed', 91, undefined);
    journal('new-ended', 89, dead, { ended: true });
    journal('new-cut', 2, dead);
    journal('new-cut-today', 0, dead);
    journal('new-unnamed', 89, undefined);
    expect(await run()).toEqual({ sessions: 0, journals: 3, leftovers: 2 });
    expect(names('executions')).toEqual([
      'new-cut-today.files',
      'new-cut-today.jsonl',
      'new-cut.jsonl',
      'new-ended.files',
      'new-ended.jsonl',
      'new-unnamed.jsonl',
      'old-running.files',
      'old-running.jsonl',
    ]);
  });

  test('keeps suspended executions with their files, however long they wait', async () => {
    const { journal, run, names } = await open();
    journal('waits', 120, dead, { suspended: true });
    expect(await run()).toEqual({ sessions: 0, journals: 0, leftovers: 0 });
    expect(names('executions')).toEqual(['waits.files', 'waits.jsonl']);
  });

  test('deletes the decisions about expired dry runs', async () => {
    const { dataDir, here, journal, run } = await open();
    const ids = ['0f8fad5b-d9cb-469f-a165-70867728950e', '7c9e6679-7425-40de-944b-e07fc1f90ae7'] as const;
    journal(ids[0], 91, dead, { ended: true });
    journal(ids[1], 1, here, { ended: true });
    await using database = openSqlite(dataFolder(dataDir).state);
    for (const id of ids) for (const part of [0, 1]) await database.write(ADD_DECISION, [id, part, 1, '', true]);
    await run();
    const rows = await database.read('select execution, call from toolwright.decisions order by call');
    expect(rows).toEqual([0, 1].map((call) => ({ execution: ids[1], call })));
  });

  test('deletes the files whose contents became rows a long time ago', async () => {
    const { dataDir, run } = await open();
    const old = ['tasks', 'decisions'].map((name) => join(dataDir, `${name}.imported-1000`));
    for (const path of [...old, join(dataDir, `tasks.imported-${Date.now()}`)]) mkdirSync(path);
    await run(0);
    expect(old.map((path) => existsSync(path))).toEqual([true, true]);
    rmSync(join(dataDir, 'swept'));
    await run();
    expect(readdirSync(dataDir).filter((name) => name.includes('imported'))).toHaveLength(1);
  });

  test('and /executions agree on the owner of a journal: its lease alone counts, not its process id', async () => {
    const { dataDir, journal, run, names } = await open();
    const ids = { dead: randomUUID(), unnamed: randomUUID(), alive: randomUUID() };
    // The journals name process 1 of another machine and this process, which both live.
    journal(ids.dead, 2, dead, { process: { name: hostname(), pid: process.pid } });
    journal(ids.unnamed, 2, undefined, { process: { name: hostname(), pid: process.pid } });
    journal(ids.alive, 2, await otherOwner(dataDir), { process: { name: 'another', pid: 1 } });
    await using toolwright = await createToolwright({
      dataDir,
      sandbox: warmQuickjs(),
      store: 'memory',
      retentionDays: 0,
    });
    const statusOf = async (id: string) => (await toolwright.executions.get(id)).status;
    expect(await Promise.all(Object.values(ids).map(statusOf))).toEqual(['interrupted', 'interrupted', 'running']);
    await until(() => existsSync(join(dataDir, 'swept')), 20_000);
    expect(names('executions').filter((name) => name.endsWith('.files'))).toEqual([`${ids.alive}.files`]);
    expect(await run()).toEqual({ sessions: 0, journals: 0, leftovers: 0 });
  });

  test('deletes expired sessions, unless an execution of a live process uses them', async () => {
    const { here, session, journal, run, names, age, dataDir } = await open();
    const [old, recent, busy, cut] = await Promise.all([session(91), session(89), session(200), session(200)]);
    journal('a', 200, here, { session: busy });
    journal('b', 200, dead, { session: cut });
    for (const [name, days] of [
      [`${recent}.half-removed`, 2],
      [`${old}.half-made`, 0],
    ] as const) {
      mkdirSync(join(dataDir, 'sessions', name));
      age(`sessions/${name}`, days);
    }
    expect(await run()).toEqual({ sessions: 2, journals: 1, leftovers: 1 });
    expect(names('sessions')).toEqual([recent, busy, `${old}.half-made`].sort());
  });

  test('with 0 days, deletes only leftovers of dead processes', async () => {
    const { session, journal, run, names } = await open();
    await session(5_000);
    journal('a', 5_000, dead, { ended: true });
    journal('b', 5_000, dead);
    expect(await run(0)).toEqual({ sessions: 0, journals: 0, leftovers: 1 });
    expect([names('executions').length, names('sessions').length]).toEqual([3, 1]);
  });

  test('runs once a day, and ends when its signal is aborted', async () => {
    const { journal, run, age, names } = await open();
    journal('a', 91, dead, { ended: true });
    const ended = new AbortController();
    ended.abort();
    expect(await run(90, ended)).toMatchObject({ journals: 0 });
    expect(await run()).toMatchObject({ journals: 1 });
    journal('b', 91, dead, { ended: true });
    expect(await run()).toMatchObject({ journals: 0 });
    age('swept', 1.1);
    expect(await run()).toMatchObject({ journals: 1 });
    expect(names('executions')).toEqual([]);
  });

  test('does not create a missing data folder', async () => {
    const dataDir = join(temporaryFolder(), 'none');
    const executions = fileExecutions({ dataDir });
    const sessions = createSessionStore({ dataDir, executions, quota });
    const { signal } = new AbortController();
    expect(await purgeExpired({ dataDir, executions, sessions, retentionDays: 90, signal })).toEqual({
      sessions: 0,
      journals: 0,
      leftovers: 0,
    });
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('a Toolwright', () => {
  const isPurged = (dataDir: string) => existsSync(join(dataDir, 'swept'));
  const configFile = (settings: object) => {
    const path = join(temporaryFolder(), 'toolwright.json');
    writeFileSync(path, JSON.stringify({ mcpServers: {}, ...settings }));
    return path;
  };

  test('without a configuration file deletes nothing', async () => {
    const { dataDir, session, journal, names } = await open();
    const id = await session(5_000);
    journal('a', 5_000, dead);
    mkdirSync(join(dataDir, 'sessions', `${id}.half-removed`));
    const before = [names('executions'), names('sessions')];
    const toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs() });
    await toolwright.sessions.list();
    // Waits for all work that has begun.
    await toolwright.close();
    expect([names('executions'), names('sessions'), isPurged(dataDir)]).toEqual([...before, false]);
  });

  test('deletes data that is older than retentionDays', async () => {
    const { dataDir, session, names } = await open();
    const [, recent] = [await session(11), await session(9)];
    await using _toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs(), retentionDays: 10 });
    await until(() => isPurged(dataDir));
    expect(names('sessions')).toEqual([recent]);
  });

  test('with a configuration file keeps data for 90 days by default', async () => {
    const { dataDir, session, names } = await open();
    const [, recent] = [await session(91), await session(89)];
    await using _toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs(), config: configFile({}) });
    await until(() => isPurged(dataDir));
    expect(names('sessions')).toEqual([recent]);
  });

  test('has an option that overrides the configuration file; 0 keeps the data', async () => {
    const { dataDir, session, names } = await open();
    const old = await session(5_000);
    const config = configFile({ retentionDays: 10 });
    await using _toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs(), config, retentionDays: 0 });
    await until(() => isPurged(dataDir));
    expect(names('sessions')).toEqual([old]);
  });

  test.each([-1, 0.5, 36_501, '90', null])('refuses %j days', async (retentionDays) => {
    const options = { dataDir: temporaryFolder(), retentionDays } as ToolwrightOptions;
    await expect(createToolwright(options)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `retentionDays must be a whole number from 0 to 36500, not ${JSON.stringify(retentionDays)}.`,
    });
  });
});
