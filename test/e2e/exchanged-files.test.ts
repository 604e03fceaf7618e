import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { failureOf } from '../fixtures/server.ts';

/** Kinds of files that a reader could wait for without end, or fill the memory with, and the words about them. */
const KINDS: Readonly<Record<string, readonly [make: (path: string) => void, words: RegExp]>> = {
  pipe: [(path) => execFileSync('mkfifo', [path]), /it is a named pipe, not a file/],
  endless: [(path) => symlinkSync('/dev/zero', path), /it is a device or a socket, not a file/],
  huge: [
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 3 * 1024 ** 3);
    },
    /it has 3221225472 bytes, the limit is \d+/,
  ],
  folder: [(path) => mkdirSync(path), /it is a folder, not a file/],
  circle: [(path) => symlinkSync(path, path), /its links lead in a circle|there is no file/],
};

const CONFIG = { mcpServers: { api: { openapi: 'api.json', baseUrl: 'http://127.0.0.1:1' } } };

/** Commands that read a file, by the file. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'toolwright.json': ['tools', '--config', 'toolwright.json'],
  '.env': ['keys', 'list'],
  'program.ts': ['run', 'program.ts'],
  'workflow.json': ['n8n', 'validate', 'workflow.json'],
  '.cursor/mcp.json': ['servers', 'import', '--from', 'cursor', '--json'],
};

describe.skipIf(process.platform === 'win32').each(Object.keys(KINDS))('in place of a file, a %s', (kind) => {
  const [make, words] = KINDS[kind] ?? [() => undefined, /^/];

  // A folder `.env` is an environment of Python.
  const names = Object.keys(COMMANDS).filter((name) => kind !== 'folder' || name !== '.env');
  it.each(names)('for %s is an error of the command in words', async (name) => {
    const desk = openDesk();
    mkdirSync(join(desk.folder, '.cursor'));
    make(join(desk.folder, name));
    const { code, out, err } = await desk.run([...(COMMANDS[name] ?? [])]);
    expect(`${out}${err}`).toMatch(words);
    if (!name.startsWith('.cursor')) expect(code).toBe(2);
  });

  it('for a description is an error of its server', async () => {
    const folder = temporaryFolder();
    make(join(folder, 'api.json'));
    const config = join(folder, 'toolwright.json');
    writeFileSync(config, JSON.stringify({ ...CONFIG, dataDir: 'data' }));
    await using toolwright = await createToolwright({ config });
    await toolwright.execute('return await list_mcp_tools()');
    expect(JSON.stringify(await toolwright.servers())).toMatch(words);
  });
});

describe.skipIf(process.platform === 'win32')('a running Toolwright', async () => {
  const folder = temporaryFolder();
  const config = join(folder, 'toolwright.json');
  const good = JSON.stringify({ dataDir: 'data', mcpServers: {} });
  writeFileSync(config, good);
  const toolwright = await createToolwright({ config });
  afterAll(() => toolwright.close());

  it.each(Object.keys(KINDS).filter((kind) => kind !== 'circle'))(
    'meets a %s at a reload, and goes on',
    async (kind) => {
      const [make, words] = KINDS[kind] ?? [() => undefined, /^/];
      const aside = join(folder, `aside-${kind}`);
      make(aside);
      rmSync(config, { recursive: true });
      renameSync(aside, config);
      const [error, result] = await Promise.all([failureOf(toolwright.reload()), toolwright.execute('return 1 + 1')]);
      expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(words)]);
      expect(result).toMatchObject({ status: 'completed', value: 2 });
      rmSync(config, { recursive: true });
      writeFileSync(config, good);
      expect(await toolwright.reload()).toMatchObject({ added: [], needsRestart: [] });
    },
  );
});
