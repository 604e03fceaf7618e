import {
  chmodSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { needsRedis, startRedis } from '../fixtures/redis.ts';

const WAIT_MS = 20_000;
const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: ToolwrightOptions = {}) {
  const dataDir = temporaryFolder();
  const lines: string[] = [];
  const log = (fields: unknown, message?: string) => void lines.push(JSON.stringify([fields, message]));
  const logger = { debug: log, info: log, warn: log, error: log } as never;
  const server = await startApi({}, { dataDir, logger, ...options });
  servers.push(server);
  const ready = () => ask(`${server.url}/ready`);
  const becomes = (status: number) =>
    expect.poll(async () => (await ready()).status, { timeout: WAIT_MS, interval: 100 }).toBe(status);
  const seal = async () => {
    const { body } = await ask(`${server.url}/sessions`, { json: {} });
    const made = await ask(`${server.url}/execute`, {
      json: { code: "return 'ada@example.com'", sessionId: body.sessionId },
    });
    expect(made.body.value).toBe('[EMAIL_1]');
    return String(body.sessionId);
  };
  return { ...server, dataDir, lines, ready, becomes, seal };
}

test('a server is ready with each sandbox that was chosen by name', async () => {
  for (const sandbox of ['quickjs', 'pyodide']) {
    const { ready } = await start({ sandbox });
    expect((await ready()).body).toEqual({ status: 'ready', sandbox });
  }
});

test.each([
  ['is deleted', (file: string) => rmSync(file)],
  ['is replaced', (file: string) => replace(file, 'x')],
  ['is emptied', (file: string) => truncateSync(file, 0)],
  ['is overwritten', (file: string) => overwrite(file)],
])('a server is not ready when its store %s, and names no path', async (_what, damage) => {
  const { ready, becomes, seal, dataDir, lines, url } = await start();
  await seal();
  await becomes(200);
  // Removing a session moves all changes from the write-ahead log to the file.
  const removed = await ask(`${url}/sessions/${await seal()}`, { method: 'DELETE' });
  expect(removed.status).toBe(204);
  damage(join(dataDir, 'store.db'));
  await becomes(503);
  const { body } = await ready();
  expect(body).toMatchObject({ code: 'STORE_UNAVAILABLE', checks: [{ part: 'store' }] });
  expect(JSON.stringify(body)).not.toContain(dataDir);
  expect(lines.filter((line) => line.includes('not ready') && line.includes('store'))).toHaveLength(1);
  expect((await ask(`${url}/health`)).status).toBe(200);
});

test.each([
  [
    'is deleted',
    (file: string) => renameSync(file, `${file}.away`),
    (file: string) => renameSync(`${file}.away`, file),
  ],
  ['is readable by others', (file: string) => chmodSync(file, 0o644), (file: string) => chmodSync(file, 0o600)],
  [
    'is another key',
    (file: string) => replace(file, 'a'.repeat(64)),
    (file: string) => renameSync(`${file}.away`, file),
  ],
])('a server is not ready while its key file %s', async (_what, damage, repair) => {
  const { ready, becomes, seal, dataDir } = await start();
  await becomes(200);
  await seal();
  await becomes(200);
  const file = join(dataDir, 'master.key');
  damage(file);
  await becomes(503);
  const { body } = await ready();
  expect(body).toMatchObject({ code: 'VAULT_LOCKED', checks: [{ part: 'key' }] });
  expect(JSON.stringify(body)).not.toContain(dataDir);
  repair(file);
  await becomes(200);
});

test('a server is not ready while its data folder cannot be written to', async () => {
  const { ready, becomes, dataDir } = await start({ store: 'memory' });
  await becomes(200);
  renameSync(dataDir, `${dataDir}.away`);
  writeFileSync(dataDir, '');
  await becomes(503);
  const { body } = await ready();
  expect(body).toMatchObject({ code: 'CONFIG_INVALID', checks: [{ part: 'dataFolder' }] });
  expect(JSON.stringify(body)).not.toContain(dataDir);
  rmSync(dataDir);
  renameSync(`${dataDir}.away`, dataDir);
  await becomes(200);
});

test('a server is not ready when the tables of its executions are another file', async () => {
  const { ready, becomes, dataDir } = await start({ store: 'memory' });
  await becomes(200);
  renameSync(join(dataDir, 'state.db'), join(dataDir, 'away.db'));
  writeFileSync(join(dataDir, 'state.db'), 'x'.repeat(8_192), { mode: 0o600 });
  await becomes(503);
  const { body } = await ready();
  expect(body).toMatchObject({ code: 'STORE_UNAVAILABLE', checks: [{ part: 'store' }] });
  expect(JSON.stringify(body)).not.toContain(dataDir);
});

needsRedis.it('a server is not ready while Redis hangs', async () => {
  const redis = await startRedis();
  const { becomes, url } = await start({ store: redis.url });
  await becomes(200);
  redis.hang();
  await becomes(503);
  expect((await ask(`${url}/health`)).status).toBe(200);
  redis.resume();
  await becomes(200);
  await redis.stop();
});

test.each([
  ['is empty', (file: string) => truncateSync(file, 0)],
  ['is overwritten', (file: string) => overwrite(file)],
])('a server whose store %s does not start, and names the file and the fix', async (_what, damage) => {
  const desk = openDesk({});
  expect((await desk.run(['keys', 'create', '--user', 'ada'])).code).toBe(0);
  const file = `${desk.folder}/state/toolwright/store.db`;
  damage(file);
  const { code, err } = await desk.run(['serve', '--port', '0', '--sandbox', 'quickjs']);
  expect(code).not.toBe(0);
  expect(err).toContain(
    `Restore ${file} from a backup. Or move it away: its contents, such as API keys, placeholders or tasks, are then lost.`,
  );
  // The operator moves it away.
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const server = await startHttp(desk, ['--sandbox', 'quickjs']);
  expect((await ask(server.url.replace(/mcp$/, 'ready'))).status).toBe(200);
  await server.stop();
});

function replace(file: string, content: string): void {
  renameSync(file, `${file}.away`);
  writeFileSync(file, content, { mode: 0o600 });
}

/** Writes over all pages of a database except the first one. */
function overwrite(file: string): void {
  const open = openSync(file, 'r+');
  const { size } = statSync(file);
  writeSync(open, Buffer.alloc(size - 4_096, 'x'), 0, size - 4_096, 4_096);
  closeSync(open);
}
