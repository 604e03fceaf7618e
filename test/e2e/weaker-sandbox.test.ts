import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { needs } from '../fixtures/needs.ts';

/** Runs a command where the kernel refuses user namespaces. */
const FORBID = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
const WRAP = ['unshare', '--user', '--map-user=1000', '--keep-caps', 'sh', '-ec', FORBID, 'sh'] as const;
const canForbid = spawnSync(WRAP[0], [...WRAP.slice(1), 'true']).status === 0;
const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
/** Without bubblewrap, the jail is missing for another reason. */
const needed = hasBubblewrap
  ? needs('mounts', canForbid ? undefined : 'unshare may not change user.max_user_namespaces')
  : needs('jail', 'bwrap is not installed');
const CAUSE =
  /jail: user namespaces are forbidden here by user\.max_user_namespaces=0 \(unshare: .*sysctl -w user\.max_user_namespaces=/;

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});

needed.describe('auto without user namespaces', () => {
  const desk = openDesk({});
  const start = (...args: string[]) => startIn(WRAP, ...args);
  const startIn = ([command, ...wrap]: readonly [string, ...string[]], ...args: string[]) => {
    const child = spawn(command, [...wrap, process.execPath, desk.cli, ...args], {
      cwd: desk.folder,
      env: desk.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.add(child);
    return child;
  };
  const run = (...args: string[]) => ended(start(...args));
  const ended = async (child: ReturnType<typeof startIn>) => {
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, out, err };
  };

  it('"run" warns once on stderr, and the stats of the result have the cause', async () => {
    const { code, out, err } = await run('run', '--json', '-e', 'return 1');
    const { value, stats } = JSON.parse(out);
    expect([code, value, stats.sandbox]).toEqual([0, 1, 'quickjs']);
    expect(stats.sandboxWarning).toMatch(CAUSE);
    expect(err.match(/^warning: sandbox quickjs: .*$/gm)).toEqual([expect.stringMatching(CAUSE)]);
  });

  it('"doctor" shows a warning for each language, and exits with 0', async () => {
    const { code, out } = await run('doctor');
    expect(code).toBe(0);
    const warnings = out.match(/^warning {2}sandbox for .*$/gm) ?? [];
    expect(warnings.map((line) => [line.split(':')[0], CAUSE.test(line)])).toEqual([
      ['warning  sandbox for typescript', true],
      ['warning  sandbox for python', true],
    ]);
  });

  it('"serve" logs a warning for each language at its start', async () => {
    const child = start('serve', '--port', '0');
    const err = text(child.stderr);
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const url = String(line)
      .replace('MCP is at ', '')
      .replace(/\/mcp$/, '');
    const { body } = await ask(`${url}/execute`, { json: { code: 'return 1' } });
    expect(body.stats.sandboxWarning).toMatch(CAUSE);
    child.kill('SIGTERM');
    const lines = (await err).split('\n').filter((text) => text.includes('a weaker sandbox was chosen'));
    expect(lines.map((text) => JSON.parse(text))).toMatchObject([
      { level: 40, guest: 'javascript', sandbox: 'quickjs', warning: expect.stringMatching(CAUSE) },
      { level: 40, guest: 'python', sandbox: 'pyodide', warning: expect.stringMatching(CAUSE) },
    ]);
  });

  it('root without other user ids, as in a rootless container, has its own cause', async () => {
    const { code, err } = await ended(startIn(['unshare', '--user', '--map-root-user'], 'run', '-e', 'return 1'));
    expect([code, err]).toEqual([0, expect.stringMatching(/jail: this process is root .* user nobody.*more user ids/)]);
  });

  it('a sandbox chosen by name is not a warning', async () => {
    expect(await run('run', '--sandbox', 'quickjs', '-e', 'return 1')).toEqual({ code: 0, out: '1\n', err: '' });
  });
});
