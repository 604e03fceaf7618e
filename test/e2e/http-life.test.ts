import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { CLI } from '../fixtures/mcp-clients.ts';
import { needs } from '../fixtures/needs.ts';
import { childrenOf, isAlive } from '../fixtures/processes.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 30_000;
const MIB = 1024 * 1024;
const started = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  started.clear();
});

interface Served {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

/** Starts `toolwright serve` in a separate process. `wrap` may be a command that runs it. */
async function serve(desk: Desk, args: readonly string[] = [], wrap: readonly string[] = []): Promise<Served> {
  const command = [...wrap, process.execPath, CLI, 'serve', '--port', '0', '--sandbox', 'quickjs', ...args];
  const child = spawn(command[0] ?? '', command.slice(1), {
    ...{ cwd: desk.folder, env: desk.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.add(child);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url: String(line)
      .replace('MCP is at ', '')
      .replace(/\/mcp$/, ''),
    child,
    ended,
  };
}

const run = (url: string, code: string, more: object = {}) =>
  ask(`${url}/execute`, { json: { code, check: false, ...more } });
const isRunning = (url: string, count = 1) =>
  until(async () => (await ask(`${url}/health`)).body.running >= count, WAIT_MS);

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s refuses new work, and lets running work end', async (signal) => {
    const { url, child, ended } = await serve(openDesk());
    const slow = run(url, 'await sleep(6000); return "whole"');
    await isRunning(url);
    const guests = childrenOf(child.pid).map(({ pid }) => pid);
    child.kill(signal);
    await until(async () => (await ask(`${url}/ready`)).status === 503, WAIT_MS);
    const refused = await run(url, 'return 1');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'CLOSED', '2']);
    expect((await ask(`${url}/health`)).body).toMatchObject({ status: 'draining', running: 1 });
    expect((await slow).body.value).toBe('whole');
    expect(await ended).toBe(0);
    expect(guests.length).toBeGreaterThan(0);
    await until(() => !guests.some(isAlive), WAIT_MS);
  });

  test.each([
    ['at the limit', ['--drain-ms', '500'], 1],
    ['at a second signal', [], 2],
  ] as const)('stops work that does not end %s, and reports it', async (_when, args, signals) => {
    const desk = openDesk();
    const { url, child, ended } = await serve(desk, args);
    const slow = run(url, 'for (;;) await sleep(1000)', { limits: { timeoutMs: 30_000 } });
    const journals = join(desk.folder, 'state/toolwright/executions');
    // A program that has not started is refused, and is not an execution.
    await until(() => existsSync(journals) && readdirSync(journals).some((name) => name.endsWith('.jsonl')), WAIT_MS);
    for (let sent = 0; sent < signals; sent++) {
      child.kill('SIGTERM');
      await until(async () => (await ask(`${url}/ready`).catch(() => undefined))?.status !== 200, WAIT_MS);
    }
    const { status, body } = await slow;
    expect([status, body.code, body.execution.status]).toEqual([503, 'INTERRUPTED', 'stopped']);
    // A second signal leaves 5 s for closing. A busy machine may need more, and is then stopped with the signal's exit
    // code.
    expect(signals === 2 ? [0, 143] : [0]).toContain(await ended);
    const [journal = ''] = readdirSync(journals).filter((name) => name.endsWith('.jsonl'));
    expect(readFileSync(join(journals, journal), 'utf8')).toMatch(/"entry":"end".*"status":"stopped"/);
  });
});

test('a killed server starts again within its time, with all acknowledged data', async () => {
  const desk = openDesk();
  const first = await serve(desk);
  const { sessionId } = (await ask(`${first.url}/sessions`, { json: {} })).body;
  await ask(`${first.url}/sessions/${sessionId}/files/kept.txt`, { method: 'PUT', body: 'kept' });
  const cut = run(first.url, 'await sleep(20000)', { sessionId }).catch(() => 'cut');
  await isRunning(first.url);
  const guests = childrenOf(first.child.pid).map(({ pid }) => pid);
  first.child.kill('SIGKILL');
  expect(await cut).toBe('cut');
  await until(() => !guests.some(isAlive), WAIT_MS);
  const second = await serve(desk);
  expect((await ask(`${second.url}/ready`)).status).toBe(200);
  expect((await ask(`${second.url}/sessions/${sessionId}/files/kept.txt`)).body).toBe('kept');
  expect((await run(second.url, 'return fs.readFile("kept.txt")', { sessionId })).body.value).toBe('kept');
});

test('two servers on one data folder share sessions and lose nothing', async () => {
  const desk = openDesk();
  const [one, two] = await Promise.all([serve(desk), serve(desk)]);
  const { sessionId } = (await ask(`${one.url}/sessions`, { json: {} })).body;
  const each = 15;
  const programs = [one, two].flatMap(({ url }, server) =>
    Array.from({ length: each }, async (_, index) => {
      const code = `await fs.appendFile("all.txt", "${server}-${index}\\n"); await fs.writeFile("same.txt", "${'x'.repeat(5_000)}"); return 1`;
      return (await run(url, code, { sessionId })).body.status;
    }),
  );
  expect(new Set(await Promise.all(programs))).toEqual(new Set(['completed']));
  const read = async (url: string, file: string) => (await ask(`${url}/sessions/${sessionId}/files/${file}`)).body;
  const lines = (await read(one.url, 'all.txt')).trim().split('\n');
  expect(lines.sort()).toEqual(
    [0, 1].flatMap((server) => Array.from({ length: each }, (_, i) => `${server}-${i}`)).sort(),
  );
  expect(await read(two.url, 'same.txt')).toBe('x'.repeat(5_000));
  for (const { url } of [one, two]) {
    expect((await ask(`${url}/sessions/${sessionId}`)).body.executions).toHaveLength(2 * each);
  }
  expect((await ask(`${two.url}/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204);
  expect((await run(one.url, 'return 1', { sessionId })).body.code).toBe('UNKNOWN_SESSION');
});

/** A disk of 8 MiB for the server only, if this system permits a mount. */
const mounted = (folder: string, limit = 'size=8m') => [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-ec'],
  `mount -t tmpfs -o ${limit},mode=700 tmpfs "${folder}" && exec "$@"`,
  'sh',
];
const canMount =
  spawnSync(mounted('/tmp')[0] ?? '', [...mounted('/tmp').slice(1), 'true'], { timeout: WAIT_MS }).status === 0;

const mountTests = needs('mounts', canMount ? undefined : 'unshare may not mount');

mountTests.it('a full disk is reported as 507 and loses no written data', async () => {
  const desk = openDesk();
  const disk = temporaryFolder();
  const wrap = mounted(disk);
  desk.env.TOOLWRIGHT_DATA_DIR = disk;
  const { url, child } = await serve(desk, [], wrap);
  const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
  const put = (name: string, bytes: number) =>
    ask(`${url}/sessions/${sessionId}/files/${name}`, { method: 'PUT', body: 'x'.repeat(bytes) });
  expect((await put('first', 3 * MIB)).status).toBe(201);
  let full = await put('large-0', 2 * MIB);
  for (let index = 1; full.status === 201; index++) full = await put(`large-${index}`, 2 * MIB);
  expect([full.status, full.body.code]).toEqual([507, 'STORAGE_FULL']);
  for (let bytes = 256 * 1024; bytes >= 1_024; bytes /= 2) {
    for (let index = 0; (await put(`small-${bytes}-${index}`, bytes)).status === 201; index++);
  }
  // The disk has no free byte. The database has some in its own files.
  const refused = async (request: (attempt: number) => ReturnType<typeof ask>) => {
    let answer = await request(0);
    for (let attempt = 1; answer.status < 300; attempt++) answer = await request(attempt);
    expect([answer.status, answer.body.code]).toEqual([507, 'STORAGE_FULL']);
    return answer;
  };
  const made = await refused(() => ask(`${url}/sessions`, { json: {} }));
  const ran = await refused(() => run(url, 'return 1'));
  await refused((attempt) =>
    ask(`${url}/execute`, { json: { code: 'return 1' }, headers: { 'idempotency-key': `key-${attempt}` } }),
  );
  expect(JSON.stringify([full.body, made.body, ran.body])).not.toContain(disk);
  expect((await ask(`${url}/health`)).status).toBe(200);
  expect((await ask(`${url}/sessions/${sessionId}/files/first`)).body).toHaveLength(3 * MIB);
  // The disk has free space again: the server needs no restart.
  expect((await ask(`${url}/sessions/${sessionId}/files/large-0`, { method: 'DELETE' })).status).toBe(204);
  expect((await run(url, 'return 1')).body.value).toBe(1);
  expect((await put('after', MIB)).status).toBe(201);
  child.kill('SIGTERM');
});

mountTests.it(
  'a disk without free inodes is reported as 507, and the server is not ready until files are deleted',
  async () => {
    const desk = openDesk();
    const disk = temporaryFolder();
    desk.env.TOOLWRIGHT_DATA_DIR = disk;
    const { url, child } = await serve(desk, [], mounted(disk, 'nr_inodes=80'));
    const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
    const put = (name: string) => ask(`${url}/sessions/${sessionId}/files/${name}`, { method: 'PUT', body: 'x' });
    expect((await put('first')).status).toBe(201);
    expect((await ask(`${url}/ready`)).status).toBe(200);
    let full = await put('file-0');
    for (let index = 1; full.status === 201; index++) full = await put(`file-${index}`);
    const made = await ask(`${url}/sessions`, { json: {} });
    const ran = await run(url, 'return 1');
    const detail = expect.stringContaining(
      'The disk of the data folder has no free inodes: nothing was written. Delete',
    );
    const inFolder = await put('new-folder/file');
    for (const { status, body } of [full, made, ran, inFolder]) {
      expect([status, body.code, body.detail]).toEqual([507, 'STORAGE_FULL', detail]);
      expect(JSON.stringify(body)).not.toContain(disk);
    }
    await until(async () => (await ask(`${url}/ready`)).status === 503, WAIT_MS);
    expect((await ask(`${url}/ready`)).body).toMatchObject({
      code: 'STORAGE_FULL',
      checks: [{ part: 'dataFolder', detail: expect.stringContaining('has no free inodes on its disk. Delete files') }],
    });
    expect((await ask(`${url}/sessions/${sessionId}/files/first`)).body).toBe('x');
    for (let index = 0; index < 10; index++) {
      expect((await ask(`${url}/sessions/${sessionId}/files/file-${index}`, { method: 'DELETE' })).status).toBe(204);
    }
    expect((await run(url, 'return 1')).body.value).toBe(1);
    await until(async () => (await ask(`${url}/ready`)).status === 200, WAIT_MS);
    child.kill('SIGTERM');
  },
);

test('an address that other machines can reach is refused without keys', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org']) {
    const child = openDesk().start('serve', '--port', '0', '--host', host);
    started.add(child);
    const [err, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
    expect([code, err]).toEqual([2, expect.stringContaining(`Host ${host} is refused`)]);
  }
});
