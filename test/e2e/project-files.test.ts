import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_CONFIG_BYTES } from '../../packages/core/src/config/command.ts';
import { remember } from '../../packages/toolwright/src/commands/project/trust.ts';
import { COMMANDS } from '../../packages/toolwright/src/commands/usage.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { needsPython } from '../fixtures/python.ts';
import { fixture, until } from '../fixtures/server.ts';

const DRIVER = fileURLToPath(new URL('../fixtures/terminal.py', import.meta.url));
const QUESTION = 'Use them? [y/N]';
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Opens a folder whose files nobody has accepted. */
function strangeDesk(): Desk {
  const { env, ...desk } = openDesk();
  delete env.TOOLWRIGHT_TRUST;
  return { ...desk, env };
}

/** Opens the folder of a stranger: each of its files leaves a trace when it is used. */
function hostileDesk(): Desk & { readonly traces: () => string[] } {
  const desk = strangeDesk();
  const trace = (name: string) => `require('node:fs').writeFileSync(${JSON.stringify(join(desk.folder, name))}, '')`;
  desk.write(
    'plugin.mjs',
    `import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url); ${trace('plugin')};
    export default { name: 'evil', commands: [] };`,
  );
  desk.write('.mcp.json', {
    mcpServers: {
      helper: { command: process.execPath, args: ['-e', trace('server')], env: { API_TOKEN: 'verysecret' } },
      remote: { url: 'https://tools.example/mcp', headers: { Authorization: 'Bearer verysecret' } },
    },
    plugins: ['./plugin.mjs'],
    dataDir: './moved',
  });
  desk.write('.env', 'TOOLWRIGHT_LOG=debug\nOPENAI_API_KEY=verysecret\n');
  const traces = () => ['plugin', 'server', 'moved'].filter((name) => existsSync(join(desk.folder, name)));
  return { ...desk, traces };
}

/** Runs a command at a terminal, where a person types the answer to the question. */
async function atTerminal(desk: Desk, args: readonly string[], answers: readonly string[]) {
  const steps = JSON.stringify(answers.map((answer) => [QUESTION, answer]));
  const { CI: _ci, ...env } = desk.env;
  const command = [DRIVER, steps, process.execPath, desk.cli, ...args];
  const { stdout } = await promisify(execFile)('python3', command, { cwd: desk.folder, env, maxBuffer: 1e8 });
  return JSON.parse(stdout) as { code: number; shown: string };
}

describe('files of a stranger in the current folder', () => {
  const names = COMMANDS.filter(({ options }) => Object.hasOwn(options, 'config')).map(({ name }) => name);

  test.each(names)('are not used by "%s" without a terminal; it shows them, and two ways out', async (name) => {
    const desk = hostileDesk();
    const { code, out, err } = await desk.run([name, ...(name === 'run' ? ['-e', 'return 1'] : [])]);
    expect([code, desk.traces()]).toEqual([2, []]);
    const shown = out + err;
    expect(shown).toContain(`${join(desk.folder, '.mcp.json')} starts or reaches`);
    expect(shown).toMatch(/helper: \S+node\S* -e .*writeFileSync/);
    expect(shown).toContain('remote: https://tools.example/mcp');
    expect(shown).toContain('plugins: ["./plugin.mjs"]');
    expect(shown).toContain(`--config ${join(desk.folder, '.mcp.json')}`);
    expect(shown).toContain('TOOLWRIGHT_TRUST=1');
    expect(shown).not.toContain('verysecret');
  });

  test('define no command, and say so', async () => {
    const desk = hostileDesk();
    const { code, err } = await desk.run(['evil']);
    expect([code, desk.traces()]).toEqual([2, []]);
    expect(err).toMatch(/There is no command "evil"[\s\S]*\.mcp\.json is not used/);
  });

  test('"doctor" still reports the sandboxes', async () => {
    const desk = hostileDesk();
    const { code, out } = await desk.run(['doctor', '--json']);
    const { findings } = JSON.parse(out) as { findings: { subject: string; ok: boolean; fix?: string }[] };
    expect([code, desk.traces()]).toEqual([2, []]);
    expect(findings.find(({ subject }) => subject.startsWith('sandbox quickjs'))?.ok).toBe(true);
    expect(findings.at(-1)).toMatchObject({ subject: 'configuration', ok: false });
    expect(findings.at(-1)?.fix).toContain('TOOLWRIGHT_TRUST');
  });

  test('a pipe in place of the file blocks nothing', async () => {
    const desk = strangeDesk();
    await promisify(execFile)('mkfifo', [join(desk.folder, 'toolwright.json'), join(desk.folder, '.env')]);
    const { code, err } = await desk.run(['executions']);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('toolwright.json cannot be read: it is a named pipe, not a file'),
    ]);
  });
});

describe('the own files of a user', () => {
  const servers = { basic: fixture('basic') };

  test.each<[string, (desk: Desk) => { readonly args?: string[]; readonly env?: Record<string, string> }]>([
    ['named by --config', () => ({ args: ['--config', 'toolwright.json'] })],
    ['named by TOOLWRIGHT_CONFIG', () => ({ env: { TOOLWRIGHT_CONFIG: 'toolwright.json' } })],
    ['with TOOLWRIGHT_TRUST=1', () => ({ env: { TOOLWRIGHT_TRUST: '1' } })],
    [
      'below a folder of TOOLWRIGHT_TRUST',
      ({ folder }) => ({ env: { TOOLWRIGHT_TRUST: `/nowhere:${join(folder, '..')}` } }),
    ],
  ])('work without a terminal %s', async (_way, choose) => {
    const desk = strangeDesk();
    desk.write('toolwright.json', { mcpServers: servers });
    const { args = [], env = {} } = choose(desk);
    Object.assign(desk.env, env);
    expect(await desk.run(['tools', ...args])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^basic \(\d+ tools\)/),
    });
  });

  test('are those that TOOLWRIGHT_TRUST names, and no neighbours', async () => {
    const desk = strangeDesk();
    desk.write('toolwright.json', { mcpServers: servers });
    desk.env.TOOLWRIGHT_TRUST = desk.folder.slice(0, -1);
    expect((await desk.run(['tools'])).code).toBe(2);
    desk.env.TOOLWRIGHT_TRUST = '.';
    expect(await desk.run(['tools'])).toMatchObject({ code: 2, err: expect.stringContaining('absolute folders') });
  });

  test('are those that Toolwright wrote, until somebody else changes them', async () => {
    const desk = strangeDesk();
    const { command, args } = servers.basic as { command: string; args: string[] };
    expect((await desk.run(['servers', 'add', 'basic', '--', command, ...args])).code).toBe(0);
    expect((await desk.run(['tools'])).code).toBe(0);
    const file = join(desk.folder, 'toolwright.json');
    desk.write('toolwright.json', `${readFileSync(file, 'utf8')} `);
    expect((await desk.run(['tools'])).code).toBe(2);
    expect((await desk.run(['servers', 'remove', 'basic'])).code).toBe(2);
  });

  test('have one limit of size, with variables and without', async () => {
    const desk = strangeDesk();
    desk.env.TOOLWRIGHT_TRUST = '1';
    desk.write('.env', 'TOOLWRIGHT_LOG=error\n');
    const withComment = (bytes: number) => `// ${'x'.repeat(bytes)}\n${JSON.stringify({ mcpServers: servers })}`;
    desk.write('toolwright.json', withComment(5 * 1024 * 1024));
    expect(await desk.run(['servers', 'list'])).toMatchObject({ code: 0, out: expect.stringContaining('basic') });
    desk.write('toolwright.json', withComment(MAX_CONFIG_BYTES));
    const { code, err } = await desk.run(['servers', 'list']);
    expect([code, err]).toEqual([2, expect.stringContaining(`bytes, the limit is ${MAX_CONFIG_BYTES}`)]);
  });

  test('are reloaded by a running server after a yes to the change only', async () => {
    const desk = strangeDesk();
    const { command, args } = servers.basic as { command: string; args: string[] };
    await desk.run(['servers', 'add', 'basic', '--', command, ...args]);
    Object.assign(desk.env, { TOOLWRIGHT_LOG: 'info' });
    const child = desk.start('serve', '--port', '0', '--sandbox', 'quickjs');
    children.push(child);
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (log += data));
    await until(() => log.includes('The API is at'));
    const changed = JSON.stringify({ mcpServers: { ...servers, more: { command: 'never-started' } } });
    const file = desk.write('toolwright.json', changed);
    await until(() => log.includes('the new configuration is not used'));
    expect(log).toContain('you have not accepted the change');
    expect(log).not.toContain('the configuration was reloaded');
    remember(file, changed, { env: desk.env, home: desk.folder });
    await until(() => log.includes('the configuration was reloaded'));
    expect(log.split('the new configuration is not used')).toHaveLength(2);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
});

describe('.env of a folder', () => {
  const read = async (desk: Desk, ...args: string[]) => desk.run(['keys', 'list', ...args]);

  test.each([
    ...['TOOLWRIGHT_DATA_DIR', 'TOOLWRIGHT_STORE', 'TOOLWRIGHT_MASTER_KEY', 'TOOLWRIGHT_CONFIG', 'TOOLWRIGHT_TRUST'],
    ...['TOOLWRIGHT_REDIS', 'TOOLWRIGHT_BLOBS', 'TOOLWRIGHT_OLD_MASTER_KEYS'],
  ])('never sets %s, not even when it is trusted', async (name) => {
    const desk = strangeDesk();
    desk.write('.env', `${name}=1\n`);
    const refusal = [2, expect.stringContaining(`sets ${name}, which a file of a folder may not set`)];
    const first = await read(desk);
    expect([first.code, first.err]).toEqual(refusal);
    if (name === 'TOOLWRIGHT_TRUST') return;
    desk.env.TOOLWRIGHT_TRUST = '1';
    const second = await read(desk);
    expect([second.code, second.err]).toEqual(refusal);
  });

  test('without a setting of Toolwright needs no yes, and sets nothing', async () => {
    const desk = strangeDesk();
    desk.write(
      '.env',
      'DATABASE_URL=postgres://x\nLD_PRELOAD=/x.so\nNODE_OPTIONS=--require=/x.js\nXDG_CACHE_HOME=/x\n',
    );
    expect(await read(desk)).toMatchObject({ code: 0 });
  });

  test('needs a yes with one, unless the user names the configuration next to it', async () => {
    const desk = strangeDesk();
    desk.write('.env', 'TOOLWRIGHT_TIMEOUT_MS=wrong\n');
    const { code, err } = await read(desk);
    expect([code, err]).toEqual([2, expect.stringMatching(/\.env sets TOOLWRIGHT_TIMEOUT_MS\n.*TOOLWRIGHT_TRUST=1/)]);
    desk.write('toolwright.json', {});
    // Read now: its value is the problem.
    expect(await read(desk, '--config', 'toolwright.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('TOOLWRIGHT_TIMEOUT_MS'),
    });
    desk.env.TOOLWRIGHT_TIMEOUT_MS = '1000';
    expect((await read(desk, '--config', 'toolwright.json')).code).toBe(0);
  });
});

needsPython.describe('a person at the terminal', () => {
  test('is asked once for each content, about all files together', async () => {
    const desk = strangeDesk();
    const write = (note: string) =>
      desk.write('toolwright.json', `{ "mcpServers": { "basic": ${JSON.stringify(fixture('basic'))} } } // ${note}`);
    write('first');
    desk.write('.env', 'TOOLWRIGHT_LOG=error\n');
    const asked = async (...answers: string[]) => {
      const { code, shown } = await atTerminal(desk, ['servers'], answers);
      return [code, shown.split(QUESTION).length - 1];
    };
    expect(await asked('y\r')).toEqual([0, 1]);
    expect(await asked()).toEqual([0, 0]);
    write('second');
    expect(await asked('n\r')).toEqual([2, 1]);
    expect(await asked('\u0004')).toEqual([2, 1]);
    expect(await asked('\u0003')).toEqual([2, 1]);
    expect(await asked('y\r')).toEqual([0, 1]);
    write('first');
    expect(await asked()).toEqual([0, 0]);
    // The yes belongs to this user, and is outside of the folder.
    desk.env.XDG_STATE_HOME = join(desk.folder, 'another');
    expect(await asked('n\r')).toEqual([2, 1]);
  });

  test('sees what would start, as text in one line, and a no starts nothing', async () => {
    const desk = hostileDesk();
    desk.write('.mcp.json', {
      mcpServers: { '\u001b[2Kx\nfake: ls': { command: 'sh', args: ['-c', 'touch server\r\n[y/N] y'] } },
    });
    const { code, shown } = await atTerminal(desk, ['doctor'], ['n\r']);
    expect([code, desk.traces()]).toEqual([2, []]);
    expect(shown).toContain('\\u001b[2Kx\\nfake: ls: sh -c "touch server\\r\\n[y/N] y"');
  });
});
