import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { needsPython } from '../fixtures/python.ts';
import { until } from '../fixtures/server.ts';

const DRIVER = fileURLToPath(new URL('../fixtures/terminal.py', import.meta.url));
const desks: Desk[] = [];

/** A new user: a home with these files, and no configuration. */
function newcomer(files: Readonly<Record<string, object | string>> = {}): Desk {
  const desk = openDesk();
  desk.env.TOOLWRIGHT_SANDBOX = 'quickjs';
  delete desk.env.TOOLWRIGHT_TRUST;
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(desk.folder, path)), { recursive: true });
    desk.write(path, content);
  }
  desks.push(desk);
  return desk;
}

const stateOf = ({ folder }: Desk) => join(folder, 'state/toolwright');
const serverOf = (desk: Desk) => JSON.parse(readFileSync(join(stateOf(desk), 'server.json'), 'utf8'));
const read = ({ folder }: Desk, path: string) => readFileSync(join(folder, path), 'utf8');

const CURSOR = '.cursor/mcp.json';
const VSCODE = '.config/Code/User/mcp.json';
const NONE = { mcpServers: {} };

afterEach(() => {
  for (const desk of desks.splice(0)) {
    try {
      process.kill(serverOf(desk).pid);
    } catch {
      // It started none.
    }
  }
});

test('a newcomer gets from nothing to an approved write that a client sees, in three commands, and undoes it', async () => {
  const desk = newcomer({ [CURSOR]: { mcpServers: {} } });
  const started = performance.now();
  const first = await desk.run(['init', '--yes', '--port', '0']);
  expect([first.code, first.err]).toEqual([0, expect.stringContaining('asks for approval, by the preset "careful"')]);
  expect(first.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=/m);
  expect(existsSync(join(desk.folder, 'notes.md'))).toBe(false);

  const opened = await desk.run(['dashboard', '--print']);
  expect([opened.code, new URL(opened.out).origin]).toEqual([0, serverOf(desk).url]);
  const command = /Decide with: toolwright (executions approve \S+)/.exec(first.err)?.[1] ?? '';
  const approved = await desk.run(command.split(' '));
  expect([approved.code, approved.out]).toEqual([0, expect.stringContaining('My first approved write')]);
  // The server in the background may be the one that continues it.
  await until(() => existsSync(join(desk.folder, 'notes.md')) && read(desk, 'notes.md') !== '');
  expect(read(desk, 'notes.md')).toBe('My first approved write\n');
  console.info(`a newcomer: 3 commands after the build, ${Math.round(performance.now() - started)} ms`);

  // Cursor starts exactly this.
  const { toolwright } = JSON.parse(read(desk, CURSOR)).mcpServers;
  const client = new Client({ name: 'cursor', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...toolwright, env: desk.env, cwd: '/', stderr: 'ignore' }));
  try {
    const code = 'return (await callMCPTool("notes__list_notes", {})).notes';
    const { content } = await client.callTool({ name: 'execute_code', arguments: { code } });
    expect(JSON.stringify(content)).toContain('My first approved write');
  } finally {
    await client.close();
  }

  const undo = /^ {2}toolwright (servers uninstall --into cursor)$/m.exec(first.out)?.[1] ?? '';
  expect((await desk.run([...undo.split(' '), '--yes'])).code).toBe(0);
  expect(JSON.parse(read(desk, CURSOR))).toEqual({ mcpServers: {} });
  expect(first.out).toContain(`  kill ${serverOf(desk).pid}\n`);
});

needsPython.describe('a person at the terminal', () => {
  test('answers three questions: the client, the changes, the first write', async () => {
    const desk = newcomer({ [CURSOR]: NONE, [VSCODE]: { servers: {} } });
    const steps = [
      ['[Enter] none', '2\r'],
      ['[y/N] ', 'y\r'],
      ['decide later: ', 'y\r'],
    ];
    const args = [DRIVER, JSON.stringify(steps), process.execPath, desk.cli, 'init', '--no-dashboard'];
    const { stdout } = await promisify(execFile)('python3', args, { cwd: desk.folder, env: desk.env, maxBuffer: 1e8 });
    const { code, shown } = JSON.parse(stdout) as { code: number; shown: string };
    expect([code, read(desk, 'notes.md')]).toEqual([0, 'My first approved write\n']);
    expect([read(desk, CURSOR), read(desk, VSCODE)]).toEqual([JSON.stringify(NONE), expect.stringContaining('"mcp"')]);
    expect(shown.match(/\[y\/N\]|\[Enter\]|decide later/g)).toHaveLength(3);
  });
});

test('a second init changes nothing that is there', async () => {
  const own = '{ "mcpServers": {}, /* mine */ "policy": { "preset": "open" } }';
  const desk = newcomer({ 'toolwright.json': own });
  desk.env.TOOLWRIGHT_TRUST = '1';
  const once = await desk.run(['init', '--yes', '--no-dashboard']);
  const config = read(desk, 'toolwright.json');
  expect([once.code, config]).toEqual([0, expect.stringContaining('/* mine */ "policy": { "preset": "open" }')]);
  // Its own policy allows the write, so nothing waits.
  expect(once.out).toContain('My first approved write');
  expect((await desk.run(['init', '--yes', '--no-dashboard'])).code).toBe(0);
  expect(read(desk, 'toolwright.json')).toBe(config);
});

describe('bad input: a sentence, and nothing is written', () => {
  const expectUnchanged = (desk: Desk) =>
    expect([existsSync(join(desk.folder, 'toolwright.json')), existsSync(stateOf(desk))]).toEqual([false, false]);

  test('no home', async () => {
    const desk = newcomer();
    desk.env.HOME = join(desk.folder, 'nobody');
    const { code, err } = await desk.run(['init', '--yes']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^The home folder .*nobody does not exist\. Set HOME/)]);
    expectUnchanged(desk);
  });

  test.skipIf(process.getuid?.() === 0)('a folder without the right to write (root may write everywhere)', async () => {
    const desk = newcomer();
    chmodSync(desk.folder, 0o555);
    const { code, err } = await desk.run(['init', '--yes']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^Nothing can be written into .*EACCES/)]);
    chmodSync(desk.folder, 0o755);
    expectUnchanged(desk);
  });

  test('a folder that takes no files', async () => {
    const desk = newcomer();
    const { code, err } = await desk.run(['init', '--yes', '--config', '/proc/toolwright.json']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^Nothing can be written into \/proc: /)]);
    expectUnchanged(desk);
  });

  test('a port that another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const desk = newcomer();
    const { code, err } = await desk.run(['init', '--yes', '--port', String(port)]);
    expect([code, err]).toEqual([2, expect.stringContaining(`Port ${port} is in use by another program.`)]);
    expectUnchanged(desk);
    other.close();
  });

  test('a client whose configuration is broken', async () => {
    const desk = newcomer({ [CURSOR]: '{ "mcpServers": { ' });
    const { code, err } = await desk.run(['init', '--yes', '--no-dashboard']);
    expect([code, err]).toEqual([0, expect.stringMatching(/not read, and not changed: .*mcp\.json has a problem/)]);
    expect(read(desk, CURSOR)).toBe('{ "mcpServers": { ');
    const named = await newcomer({ [CURSOR]: '[]' }).run(['init', '--yes', '--into', 'cursor', '--no-dashboard']);
    expect([named.code, named.err]).toEqual([2, expect.stringContaining('expected an object')]);
  });

  test.each(['exists', 'is missing'])(
    'a client whose file is a link out of the home folder, and its target %s',
    async (state) => {
      const elsewhere = newcomer({ 'shared.json': NONE });
      const target = join(elsewhere.folder, 'shared.json');
      if (state === 'is missing') rmSync(target);
      const desk = newcomer({ '.cursor/other': '' });
      symlinkSync(target, join(desk.folder, CURSOR));
      const { code, err } = await desk.run(['init', '--yes', '--no-dashboard']);
      expect([code, err]).toEqual([0, expect.stringContaining(`is a link to ${target}`)]);
      expect(lstatSync(join(desk.folder, CURSOR)).isSymbolicLink()).toBe(true);
      expect(existsSync(target) && readFileSync(target, 'utf8')).toBe(state === 'exists' && JSON.stringify(NONE));
    },
  );

  test('two clients: none is changed until one is named', async () => {
    const desk = newcomer({ [CURSOR]: NONE, [VSCODE]: { servers: {} } });
    const { code, err } = await desk.run(['init', '--yes', '--no-dashboard']);
    const sentence = '2 clients were found, and none was changed: Cursor, VS Code. Name one: --into cursor.';
    expect([code, err]).toEqual([0, expect.stringContaining(sentence)]);
    expect([read(desk, CURSOR), read(desk, VSCODE)]).toEqual(['{"mcpServers":{}}', '{"servers":{}}']);
    const named = await desk.run(['init', '--yes', '--no-dashboard', '--into', 'vscode']);
    expect([named.code, read(desk, VSCODE)]).toEqual([0, expect.stringContaining('"toolwright"')]);
  });

  test('nobody who can answer', async () => {
    const desk = newcomer();
    const { code, err } = await desk.run(['init']);
    expect([code, err]).toEqual([2, expect.stringContaining('add --yes to make them')]);
    expectUnchanged(desk);
  });
});
