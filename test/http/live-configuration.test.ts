// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from '@toolwright/pii';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecutionCall } from '../../packages/core/src/execution/executions.ts';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { watchConfiguration } from '../../packages/toolwright/src/commands/lifetime.ts';
import { configurationFile } from '../../packages/toolwright/src/commands/serve/serve.ts';
import { clientServers } from '../../packages/toolwright/src/commands/servers/client-servers.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, until } from '../fixtures/server.ts';

const folder = temporaryFolder();
const file = join(folder, 'toolwright.json');
const SECRET = 'token-of-the-live-server';
const live = (VERSION: string) => ({ ...fixture('basic'), env: { VERSION, TOKEN: '${file:token}' } });
const configure = (mcpServers: object, more: object = {}) =>
  writeFileSync(file, JSON.stringify({ mcpServers, ...more }, null, 2));

const home = temporaryFolder();
const shownEntry = (entry: object) => ({ ...entry, env: { TOKEN: '•••' } });
/** Personal data of an entry: a placeholder in its place would be saved. */
const OWNER = { description: 'Owner: ann@example.com' };
/** Facts of every server. */
const SHOWN = { starts: 1, protocol: expect.any(String) };

let server: HttpServer;
let watching: Disposable;
let admin: Record<string, string>;
let user: Record<string, string>;

beforeAll(async () => {
  writeFileSync(join(folder, 'token'), SECRET);
  configure({ live: live('1'), gone: fixture('basic') });
  mkdirSync(join(home, '.cursor'));
  const mcpServers = {
    works: { ...fixture('basic'), env: { TOKEN: SECRET } },
    dies: fixture('dies', 'start'),
    live: fixture('basic'),
    own: { command: 'npx', args: ['toolwright', 'mcp'] },
  };
  writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers }));
  const keys = apiKeys(memoryStore());
  const keyOf = async (name: string, scopes: string[]) => ({
    'x-api-key': (await keys.create({ user: name, scopes })).text,
  });
  admin = await keyOf('root', ['servers:admin']);
  user = await keyOf('ada', ['executions:decide']);
  const logger = { info: () => undefined, error: () => undefined };
  server = await startApi(
    {
      authenticate: authentication({ keys, logger: partial(logger) }),
      configuration: configurationFile(file),
      clientServers: clientServers({ home, cwd: home, platform: 'linux', env: {} }),
    },
    { config: file },
  );
  const log = (fields: object, message: string) => void server.logged.push(JSON.stringify({ ...fields, message }));
  watching = watchConfiguration(() => server.toolwright.reload(), {
    file,
    intervalMs: 20,
    hangup: true,
    logger: partial({ info: log, warn: log, error: log }),
  });
});
afterAll(async () => {
  watching[Symbol.dispose]();
  await server.close();
  expect(server.logged.join()).not.toContain(SECRET);
});

/** Returns the calls of the newest execution of a user. */
async function callsOf(userId: string): Promise<readonly ExecutionCall[]> {
  const { executions } = server.toolwright;
  const [newest] = (await executions.list({ userId })).executions;
  return newest ? executions.calls(newest.id, userId) : [];
}

const names = async () => (await server.toolwright.servers()).map(({ name }) => name).sort();
const logged = (text: string) => server.logged.filter((line) => line.includes(text)).length;

/** Calls tools until it sees the new server and the changed one, and remembers every failure. */
const PROGRAM = `
  const slow = callMCPTool('live__slow', { ms: 800 });
  const leaving = callMCPTool('gone__slow', { ms: 800 });
  await callMCPTool('live__echo', { value: 'started' });
  const versions = [];
  const failures = [];
  let fresh;
  while (fresh === undefined || versions.length < 2) {
    try {
      const { VERSION } = await callMCPTool('live__environment', {});
      if (versions.at(-1) !== VERSION) versions.push(VERSION);
    } catch (error) {
      failures.push(error.message);
    }
    fresh ??= await callMCPTool('fresh__echo', { value: 'hello' }).catch(() => undefined);
    await utils.sleep(5);
  }
  return { versions, failures, fresh, slow: await slow, leaving: await leaving };`;

describe('a change of the configuration file', () => {
  test('adds, removes and exchanges servers while a program runs, and drops no call', async () => {
    const running = ask(`${server.url}/execute`, { json: { code: PROGRAM, check: false }, headers: user });
    await until(async () => (await callsOf('ada')).filter(({ outcome }) => outcome === 'answered').length > 1);
    configure({ live: live('2'), fresh: fixture('basic') });
    const { body } = await running;
    expect(body.error).toBeUndefined();
    expect(body.result ?? body.value).toEqual({
      versions: ['1', '2'],
      failures: [],
      fresh: 'hello',
      slow: 'done',
      leaving: 'done',
    });
    await until(() => logged('the configuration was reloaded') > 0);
    expect(await names()).toEqual(['fresh', 'live']);
  });

  test('that is not valid changes nothing and is logged with its place; the next one counts', async () => {
    writeFileSync(file, '{\n  "mcpServers": {\n    "live": { "command": }\n  }\n}');
    await until(() => logged('the new configuration is not used') > 0);
    expect(logged('not valid JSON at line 3, column 26')).toBe(1);
    expect(await names()).toEqual(['fresh', 'live']);
    configure({ live: live('2'), fresh: fixture('basic') }, { limitz: {} });
    await until(() => logged('limitz: unknown key') > 0);
    expect(await names()).toEqual(['fresh', 'live']);
    configure({ live: live('2') }, { limits: { toolCalls: 7 } });
    await until(() => logged('changed settings need a restart') > 0);
    expect(logged('"needsRestart":["limits.toolCalls"]')).toBe(1);
    expect(await names()).toEqual(['live']);
  });

  test('is read again at SIGHUP', async () => {
    const before = logged('the configuration was reloaded');
    process.emit('SIGHUP');
    await until(() => logged('the configuration was reloaded') === before + 1);
  });
});

describe('the admin routes', () => {
  test('refuse keys without the scope, and servers without keys', async () => {
    for (const path of ['/admin/servers', '/admin/reload', '/admin/import', '/admin/servers/live']) {
      const method = path === '/admin/reload' ? 'POST' : 'DELETE';
      const answer = await ask(`${server.url}${path}`, { method, headers: user });
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await ask(`${server.url}/admin/servers`)).status).toBe(401);
    const local = await startApi({}, { startSandbox: false });
    const refused = await ask(`${local.url}/admin/servers`, { json: { name: 'x', server: { command: 'x' } } });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('A server without keys has no /admin'),
    ]);
    await local.close();
    expect(await names()).toEqual(['live']);
  });

  test('add and remove a server of this process, and leave the file', async () => {
    const before = readFileSync(file, 'utf8');
    const json = { name: 'extra', server: { ...fixture('basic'), env: { TOKEN: '${file:token}' } } };
    const added = await ask(`${server.url}/admin/servers`, { json, headers: admin });
    expect([added.status, added.body]).toEqual([
      201,
      { ...{ name: 'extra', slug: 'extra', state: 'ready', toolCount: 13, description: 'fixture' }, ...SHOWN },
    ]);
    const listed = await ask(`${server.url}/admin/servers`, { headers: admin });
    expect(listed.body.servers.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['live', 'ready'],
      ['extra', 'ready'],
    ]);
    expect(JSON.stringify(listed.body)).not.toMatch(/TOKEN|command/);
    const run = await ask(`${server.url}/execute`, {
      json: { code: `return callMCPTool('extra__echo', { value: 'x' })` },
      headers: user,
    });
    expect(run.body.result ?? run.body.value).toBe('x');
    expect((await ask(`${server.url}/admin/servers`, { json, headers: admin })).status).toBe(422);
    expect((await ask(`${server.url}/admin/servers/extra`, { method: 'DELETE', headers: admin })).status).toBe(204);
    expect((await ask(`${server.url}/admin/servers/extra`, { method: 'DELETE', headers: admin })).status).toBe(404);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('change the file if asked, which adds the server once', async () => {
    const json = { name: 'kept', server: fixture('basic'), persist: true };
    expect((await ask(`${server.url}/admin/servers`, { json, headers: admin })).status).toBe(201);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.kept).toEqual(fixture('basic'));
    const reloaded = await ask(`${server.url}/admin/reload`, { method: 'POST', headers: admin });
    expect(reloaded.body).toEqual({ added: [], removed: [], changed: [], needsRestart: ['limits.toolCalls'] });
    const [kept] = (await server.toolwright.servers()).filter(({ name }) => name === 'kept');
    expect(kept?.status.starts).toBe(1);
    await ask(`${server.url}/admin/servers/kept?persist=true`, { method: 'DELETE', headers: admin });
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers)).toEqual(['live']);
    await ask(`${server.url}/admin/reload`, { method: 'POST', headers: admin });
    expect(await names()).toEqual(['live']);
  });

  test('change a server of the file, whose secrets nobody sees', async () => {
    const at = `${server.url}/admin/servers/live`;
    configure({ live: { ...live('2'), env: { VERSION: '2', TOKEN: SECRET }, ...OWNER } });
    await ask(`${server.url}/admin/reload`, { method: 'POST', headers: admin });
    const { body } = await ask(at, { headers: admin });
    expect(body).toMatchObject({ server: { name: 'live' }, entry: { env: { VERSION: '2', TOKEN: '•••' } } });
    const put = (entry: object, more: object = {}) =>
      ask(at, { method: 'PUT', json: { server: entry, ...more }, headers: admin });
    const wanted = { ...body.entry, env: { ...body.entry.env, VERSION: '3' } };
    expect((await put(wanted, { persist: true })).status).toBe(200);
    const stored = () => JSON.parse(readFileSync(file, 'utf8')).mcpServers.live;
    expect(stored()).toEqual({ ...live('2'), env: { VERSION: '3', TOKEN: SECRET }, ...OWNER });
    const run = await ask(`${server.url}/execute`, {
      json: { code: `return callMCPTool('live__environment', {})` },
      headers: user,
    });
    expect((run.body.result ?? run.body.value).VERSION).toBe('3');
    const before = readFileSync(file, 'utf8');
    for (const [entry, status, code] of [
      [fixture('dies', 'start'), 502, 'UPSTREAM_UNAVAILABLE'],
      [{ ...wanted, env: { OTHER: '•••' } }, 422, 'CONFIG_INVALID'],
      [{ tools: {} }, 422, 'CONFIG_INVALID'],
    ] as const) {
      const refused = await put(entry, { persist: true });
      expect([refused.status, refused.body.code]).toEqual([status, code]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
    // A server that the file does not have stays as it is, and the message names the fix.
    await server.toolwright.addServer('my own', fixture('basic'));
    const own = { method: 'PUT', json: { server: fixture('basic'), persist: true }, headers: admin };
    const unknown = await ask(`${server.url}/admin/servers/my-own`, own);
    expect([unknown.status, unknown.body.code]).toEqual([422, 'CONFIG_INVALID']);
    expect(unknown.body.detail).toContain('The configuration file has no server "my own". Omit "persist"');
    await server.toolwright.removeServer('my own');
    expect((await ask(`${server.url}/admin/servers/none`, { headers: admin })).status).toBe(404);
    configure({ live: live('2') });
    await ask(`${server.url}/admin/reload`, { method: 'POST', headers: admin });
  });

  test('import servers of other clients', async () => {
    const found = await ask(`${server.url}/admin/import`, { headers: admin });
    const path = join(home, '.cursor/mcp.json');
    expect(found.body).toEqual({
      servers: [
        {
          ...{ name: 'works', client: 'Cursor', path, notes: [], isKnown: false },
          entry: shownEntry(fixture('basic')),
        },
        { ...{ name: 'dies', client: 'Cursor', path, notes: [], isKnown: false }, entry: fixture('dies', 'start') },
        { ...{ name: 'live', client: 'Cursor', path, notes: [], isKnown: true }, entry: fixture('basic') },
      ],
      left: [expect.objectContaining({ name: 'own' })],
      unreadable: [],
    });
    const servers = ['works', 'dies', 'live', 'absent'].map((name) => ({ name, path }));
    const { body } = await ask(`${server.url}/admin/import`, { json: { servers, persist: true }, headers: admin });
    expect(body.added).toEqual(['works']);
    expect(body.failed.map(({ name, problem }: { name: string; problem: string }) => [name, problem])).toEqual([
      ['dies', expect.stringContaining('could not start')],
      ['live', expect.stringContaining('exists already')],
      ['absent', expect.stringContaining('has no server "absent"')],
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.works.env).toEqual({ TOKEN: SECRET });
    await ask(`${server.url}/admin/servers/works?persist=true`, { method: 'DELETE', headers: admin });
  });

  test('add nothing that does not work', async () => {
    const statusOf = async (entry: object) => {
      const { status, body } = await ask(`${server.url}/admin/servers`, {
        json: { name: 'bad', server: entry, persist: true },
        headers: admin,
      });
      return [status, body.code];
    };
    expect(await statusOf(fixture('dies', 'start'))).toEqual([502, 'UPSTREAM_UNAVAILABLE']);
    expect(await statusOf({ command: 5 })).toEqual([422, 'CONFIG_INVALID']);
    expect(await statusOf({ tools: { x: { run: 'no' } } })).toEqual([422, 'CONFIG_INVALID']);
    expect(await statusOf({ command: 'x', env: { A: '${file:absent}' } })).toEqual([422, 'CONFIG_INVALID']);
    expect(readFileSync(file, 'utf8')).not.toContain('bad');
    expect(await names()).toEqual(['live']);
  });
});
