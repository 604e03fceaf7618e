import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRegularFile, readRegularText } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-read-'));
const LIMIT = 1024;

function made(name: string, make: (path: string) => void): string {
  const path = join(folder, name);
  make(path);
  return path;
}

it('reads UTF-16 with a byte order mark, as PowerShell writes it', async () => {
  const file = made('utf16.txt', (path) => writeFileSync(path, Buffer.from('\uFEFF{"ä": 1}', 'utf16le')));
  expect(await readRegularText(file, LIMIT)).toBe('{"ä": 1}');
});

it('reads a regular file, also by a link, and an empty one', async () => {
  const file = made('plain.txt', (path) => writeFileSync(path, '\uFEFFä'));
  expect(await readRegularText(file, LIMIT)).toBe('ä');
  expect(
    await readRegularText(
      made('link', (path) => symlinkSync(file, path)),
      LIMIT,
    ),
  ).toBe('ä');
  expect(
    await readRegularFile(
      made('empty', (path) => writeFileSync(path, '')),
      LIMIT,
    ),
  ).toHaveLength(0);
  expect(
    await readRegularFile(
      made('full', (path) => writeFileSync(path, 'x'.repeat(LIMIT))),
      LIMIT,
    ),
  ).toHaveLength(LIMIT);
});

it.each([
  ['a missing file', () => join(folder, 'missing'), 'there is no such file', 'ENOENT'],
  ['a folder', () => made('folder', (path) => mkdirSync(path)), 'it is a folder', 'EISDIR'],
  [
    'a file in a file',
    () =>
      join(
        made('a-file', (path) => writeFileSync(path, '')),
        'x',
      ),
    'no folder',
    'ENOTDIR',
  ],
  ['a circle of links', () => made('circle', (path) => symlinkSync(path, path)), 'lead in a circle', 'ELOOP'],
  [
    'a byte too many',
    () => made('large', (path) => writeFileSync(path, 'x'.repeat(LIMIT + 1))),
    `${LIMIT + 1} bytes, the limit is ${LIMIT}`,
    undefined,
  ],
] as const)('%s is an error in words', async (_title, path, message, code) => {
  await expect(readRegularFile(path(), LIMIT)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    code,
  });
});

it('a file of 3 GB without content takes no memory', async () => {
  const sparse = made('sparse', (path) => {
    writeFileSync(path, '');
    truncateSync(path, 3 * 1024 ** 3);
  });
  await expect(readRegularFile(sparse, LIMIT)).rejects.toThrow('it has 3221225472 bytes');
});

it.skipIf(process.platform === 'win32').each([
  ['a pipe that nobody writes', () => made('pipe', (path) => execFileSync('mkfifo', [path])), 'a named pipe'],
  [
    'a link to a pipe',
    () =>
      made('to-pipe', (path) =>
        symlinkSync(
          made('pipe-2', (pipe) => execFileSync('mkfifo', [pipe])),
          path,
        ),
      ),
    'a named pipe',
  ],
  ['an endless device', () => '/dev/zero', 'a device or a socket'],
  ['an empty device', () => '/dev/null', 'a device or a socket'],
  ['a terminal', () => '/dev/tty', 'a device or a socket'],
])('%s is an error in words, and nobody waits', async (_title, path, message) => {
  await expect(readRegularFile(path(), LIMIT)).rejects.toThrow(message);
});

it.skipIf(process.platform !== 'linux').each(['/proc/self/environ', '/proc/self/maps', '/proc/meminfo', '/proc/kmsg'])(
  '%s is an error in words',
  async (path) => {
    await expect(readRegularFile(path, LIMIT)).rejects.toThrow(/made by the system|may not read it|EAGAIN/);
  },
);

it.skipIf(process.platform === 'win32')('a socket is an error in words', async () => {
  const path = join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(readRegularFile(path, LIMIT)).rejects.toThrow('a device or a socket');
  server.close();
});

it('a file that grows is read as it was, or is an error', async () => {
  const file = made('log', (path) => writeFileSync(path, 'x'));
  const reading = readRegularFile(file, LIMIT).then(String, (error: Error) => error.message);
  appendFileSync(file, 'y'.repeat(10));
  expect(['x', `x${'y'.repeat(10)}`, 'it grows while it is read']).toContain(await reading);
});
