import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { needs } from '../fixtures/needs.ts';
import { fixture } from '../fixtures/server.ts';

/** Longer than the time that the data folder has to answer. */
const MAX_START_MS = 30_000;
const HANGING_MOUNT = fileURLToPath(new URL('../fixtures/hanging-mount.py', import.meta.url));

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});

describe.concurrent('servers that never connect', () => {
  const desk = openDesk({ basic: fixture('basic'), slow: { ...fixture('hangs', 'start'), startTimeoutMs: 120_000 } });

  test('are a failure of "tools", with the fix', async () => {
    const [all, one, other] = await Promise.all([
      desk.run(['tools']),
      desk.run(['tools', 'add', '--server', 'slow']),
      desk.run(['tools', 'add']),
    ]);
    expect([all.code, all.out]).toEqual([
      4,
      expect.stringMatching(
        /^slow \(connecting: it was still connecting after 30000 ms\..* correct mcpServers\.slow\.\)$/m,
      ),
    ]);
    expect(one.code).toBe(4);
    // The other server has the answer.
    expect([other.code, other.out]).toEqual([0, expect.stringContaining('servers.basic.add(')]);
  });

  test('are a problem of "doctor", with the fix', async () => {
    const { code, out } = await desk.run(['doctor']);
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(/^problem {2}server slow: it was still connecting after 30000 ms\. .*mcpServers\.slow/m),
    ]);
  });
});

describe('serve', () => {
  test.each([
    [[], 'toolwright keys create --user NAME'],
    [['--config', 'my own.json'], "toolwright keys create --user NAME --config 'my own.json'"],
  ])('with %j and no key, --host 0.0.0.0 names the command that makes a key: %s', async (args, command) => {
    const desk = openDesk();
    desk.write('my own.json', {});
    const refused = await desk.run(['serve', '--port', '0', '--host', '0.0.0.0', ...args]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`Create a key with "${command}"`)]);
    // The command is exact: a shell runs it, and then the server starts.
    const words = command.replace('NAME', 'ada').slice('toolwright '.length);
    const made = spawn('sh', ['-c', `"$0" "$1" ${words}`, process.execPath, desk.cli], {
      cwd: desk.folder,
      env: desk.env,
    });
    expect((await once(made, 'exit'))[0]).toBe(0);
    const child = desk.start('serve', '--port', '0', '--host', '0.0.0.0', ...args);
    started.add(child);
    expect(await firstLine(child)).toContain('MCP is at');
  });

  test('a refused Host header names the setting, and with that setting the host is served', async () => {
    const desk = openDesk();
    const ask = async (): Promise<{ status: number | undefined; body: string }> => {
      const child = desk.start('serve', '--port', '0', '--sandbox', 'quickjs');
      started.add(child);
      const url = /http:\S+(?=\/mcp)/.exec(await firstLine(child))?.[0];
      const asked = request(`${url}/health`, { headers: { host: 'tools.example.org' } }).end();
      const [response] = await once(asked, 'response');
      return { status: response.statusCode, body: await text(response) };
    };
    const refused = await ask();
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.body).detail).toMatch(/"tools\.example\.org".*"hostnames".*TOOLWRIGHT_HOSTNAMES/);
    desk.env.TOOLWRIGHT_HOSTNAMES = 'tools.example.org';
    expect((await ask()).status).toBe(200);
  });
});

needs('mounts', await cannotMount()).describe('a data folder on a file system that never answers', () => {
  test('ends every command with exit code 2 and the name of the folder', async () => {
    const commands = [['serve', '--port', '0'], ['run', '-e', 'return 1'], ['mcp'], ['keys'], ['sessions'], ['doctor']];
    const folder = temporaryFolder();
    const mount = await hang(folder);
    const desk = openDesk({});
    desk.env.TOOLWRIGHT_DATA_DIR = `${folder}/toolwright`;
    const ended = commands.map(async (args) => {
      const child = desk.start(...args);
      started.add(child);
      const output = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
      const late = setTimeout(() => child.kill('SIGKILL'), MAX_START_MS);
      const [code] = await once(child, 'exit');
      clearTimeout(late);
      return [code, (await output).join('')];
    });
    try {
      const expected = [2, expect.stringContaining(`${folder}/toolwright did not answer`)];
      expect(await Promise.all(ended)).toEqual(commands.map(() => expected));
    } finally {
      mount.stdin?.end();
      await once(mount, 'exit');
    }
  });
});

test.each(['store.db', 'executions'])(
  'a named pipe %s in the data folder ends a command with its path',
  async (name) => {
    const folder = temporaryFolder();
    spawnSync('mkfifo', [join(folder, name)]);
    const desk = openDesk();
    desk.env.TOOLWRIGHT_DATA_DIR = folder;
    for (const args of [['keys'], ['run', '-e', 'return 1']]) {
      const { code, err } = await desk.run(args);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`${join(folder, name)} in the data folder is a named pipe`),
      ]);
    }
  },
);

const FULL = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && (cat /dev/zero > "$0/rest" 2>&- || true) && exec "$@"';
const inFullDisk = (folder: string) => ['unshare', '--map-root-user', '--mount', 'sh', '-ec', FULL, folder];
const [unshare = '', ...unshareArgs] = inFullDisk(temporaryFolder());
const canFill = spawnSync(unshare, [...unshareArgs, 'true'], { timeout: MAX_START_MS }).status === 0;

needs('mounts', canFill ? undefined : 'unshare may not mount').describe('a full disk', () => {
  test.each([
    ['run', '-e', 'return 1'],
    ['run', '--session', 's1', '-e', 'return 1'],
    ['keys', 'create', '--user', 'ada'],
  ])('is named with its folder and the fix by "%s %s %s"', async (...args) => {
    const folder = temporaryFolder();
    const desk = openDesk();
    const [command = '', ...words] = [...inFullDisk(folder), process.execPath, desk.cli, ...args];
    const child = spawn(command, words, { cwd: desk.folder, env: { ...desk.env, TOOLWRIGHT_DATA_DIR: folder } });
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining(folder)]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/disk .*is full.*Free space/);
  });
});

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no stdout.');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return String(line);
}

/** Mounts a file system that never answers at the folder. The end of stdin unmounts it. */
async function hang(folder: string): Promise<ChildProcess> {
  const mount = spawn('python3', [HANGING_MOUNT, folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  const [first] = await Promise.race([once(createInterface({ input: mount.stdout }), 'line'), once(mount, 'exit')]);
  if (first === 'mounted') return mount;
  throw new Error(await text(mount.stderr));
}

async function cannotMount(): Promise<string | undefined> {
  try {
    const mount = await hang(temporaryFolder());
    mount.stdin?.end();
    await once(mount, 'exit');
    return undefined;
  } catch (error) {
    return `FUSE: ${(error as Error).message.trim()}`;
  }
}
