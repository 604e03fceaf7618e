import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';
import { end, freePort, start } from '../soak/programs.ts';

const EFFECTS = fileURLToPath(new URL('../soak/effects.mjs', import.meta.url));
/** The data folder of a server that was killed. The version before `state.db` wrote it, with a clock that was 50 years ahead. */
const DATA = fileURLToPath(new URL('../fixtures/data/former-folder.tgz', import.meta.url));
const recorded = JSON.parse(readFileSync(DATA.replace(/tgz$/, 'json'), 'utf8'));
const headers = { authorization: `Bearer ${recorded.key}` };
const SCRIPT = [{ code: 'return 6 * 7' }, { text: 'It is {{result}}.' }];

describe('a data folder of a former version', () => {
  let desk: Desk;
  let server: Awaited<ReturnType<typeof start>>;
  let url: string;
  const effects = () => readFileSync(join(desk.folder, 'effects'), 'utf8').split('\n').filter(Boolean);
  const send = async (path: string, json?: object) =>
    (await ask(`${url}${path}`, { headers, ...(json === undefined ? {} : { json }) })).body;
  beforeAll(async () => {
    desk = openDesk();
    execFileSync('tar', ['-xzmf', DATA, '-C', desk.folder]);
    writeFileSync(join(desk.folder, 'effects'), '');
    const tools = { command: process.execPath, args: [EFFECTS], env: { EFFECTS: join(desk.folder, 'effects') } };
    desk.write('toolwright.json', {
      dataDir: './data',
      waits: { graceMs: 0 },
      policy: { rules: [{ tools: 'asked__*', action: 'ask' }] },
      retentionDays: 36_500,
      mcpServers: { pipe: tools, asked: tools },
    });
    const port = await freePort();
    const env = { ...desk.env, TOOLWRIGHT_MASTER_KEY: recorded.masterKey };
    Object.assign(env, { LLM_MODEL: `scripted/${desk.write('script.json', SCRIPT)}` });
    server = await start([desk.cli, 'serve', '--port', String(port)], env, 'ignore', desk.folder);
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => server && end(server, 'SIGTERM'));

  it('has its executions, tasks, sessions, placeholders, skills and keys', async () => {
    const { completed, asked, session, task } = recorded;
    expect(await send(`/executions/${completed}`)).toMatchObject({ status: 'completed', value: 'done' });
    expect(await send(`/tasks/${task}`)).toMatchObject({ status: 'completed', answer: 'It is 42.' });
    const ids = (await send('/executions')).executions.map(({ executionId }: { executionId: string }) => executionId);
    expect(ids).toEqual(expect.arrayContaining([completed, asked]));
    const code = `return 'carol@example.org: ' + (await fs.readFile('kept.txt', 'utf8'))`;
    const ran = await send('/execute', { sessionId: session, code });
    expect(ran.value).toBe('[EMAIL_2]: of the former version');
    expect((await send('/execute', { code: `return run_skill('add-one', { n: 4 })` })).value).toBe(5);
  });

  it('has its question answered, and the call is made once', async () => {
    const { asked } = recorded;
    expect(await send(`/executions/${asked}`)).toMatchObject({ status: 'suspended' });
    expect(await send(`/executions/${asked}/decisions`, { action: 'approve' })).toEqual({ calls: [1] });
    await until(async () => (await send(`/executions/${asked}`)).status === 'completed', 30_000);
    expect(effects()).toEqual(['asked']);
  });

  it('keeps the files of the former version, for a way back', async () => {
    await end(server, 'SIGTERM');
    const data = join(desk.folder, 'data');
    const kept = readdirSync(data).filter((name) => name.includes('.imported-'));
    expect(kept.map((name) => name.replace(/\.imported-\d+$/, '')).sort()).toEqual(['history', 'tasks']);
    const back = join(desk.folder, 'back');
    cpSync(data, back, { recursive: true });
    for (const name of kept) renameSync(join(back, name), join(back, name.replace(/\.imported-\d+$/, '')));
    const listed = execFileSync('tar', ['-tzf', DATA], { encoding: 'utf8' }).split('\n');
    const files = listed.filter((path) => /^data\/(?:executions|history|sessions|tasks|users)\/.*[^/]$/.test(path));
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => !existsSync(join(back, path.slice('data/'.length))))).toEqual([]);
  });
});
