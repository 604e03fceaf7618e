import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { openWorkspace } from './workspace.ts';

function open(quota: { workspaceBytes?: number; workspaceFiles?: number } = {}) {
  const root = join(temporaryFolder(), 'root');
  const workspace = openWorkspace({ root, workspaceBytes: 10_000, workspaceFiles: 100, ...quota });
  const write = (path: string, text: string, mode: 'replace' | 'append' = 'replace') =>
    workspace.write(path, Buffer.from(text), mode);
  const read = async (path: string) => (await workspace.read(path, 1_000_000)).toString();
  const names = async (path: string) => (await workspace.list(path, true)).map(({ name }) => name);
  return { root, workspace, write, read, names };
}

const errnoOf = async (work: Promise<unknown>) => {
  const { code, details } = await failureOf(work);
  return code === 'FILE_ERROR' ? details.errno : code;
};

describe('files', () => {
  test('are written, appended, copied byte by byte, listed and removed', async () => {
    const { root, workspace, names } = open();
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    await workspace.makeFolder('/workspace/a/b', true);
    await workspace.write('/workspace/a/b/x', bytes, 'replace');
    await workspace.write('/workspace/a/b/x', bytes, 'append');
    expect((await workspace.read('/workspace/a/b/x', 1_024)).equals(Buffer.concat([bytes, bytes]))).toBe(true);
    expect(await names('/workspace')).toEqual(['a', 'a/b', 'a/b/x']);
    expect(await workspace.stat('/workspace/a/b/x')).toEqual({
      name: 'x',
      kind: 'file',
      size: 1_024,
      mtimeMs: statSync(join(root, 'a/b/x')).mtimeMs,
    });
    await workspace.remove('/workspace/a', { recursive: true, force: false });
    expect(await names('/workspace')).toEqual([]);
  });

  test('belong to their owner alone', async () => {
    const { root, write } = open();
    await write('/workspace/a', 'A');
    const modes = ['', 'a'].map((path) => statSync(join(root, path)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  test('raise the errors of Node', async () => {
    const { workspace, write, read } = open();
    await write('/workspace/f', 'F');
    await workspace.makeFolder('/workspace/d/e', true);
    const remove = { recursive: false, force: false };
    const errors = [
      read('/workspace/gone'),
      read('/workspace/d'),
      read('/workspace/f/x'),
      read('/workspace/no/x'),
      workspace.read('/workspace/f', 0),
      read('/etc/passwd'),
      read('/workspace'),
      write('/servers/a', ''),
      write('/workspace/d', ''),
      workspace.makeFolder('/workspace/d', false),
      workspace.makeFolder('/workspace/no/x', false),
      workspace.makeFolder('/workspace/f/x', true),
      workspace.list('/workspace/f', false),
      workspace.list('/workspace/gone', false),
      workspace.remove('/workspace/gone', remove),
      workspace.remove('/workspace/d', remove),
      workspace.remove('/workspace', { recursive: true, force: true }),
      workspace.removeFolder('/workspace/d'),
      workspace.removeFolder('/workspace/f'),
      workspace.rename('/workspace/gone', '/workspace/x'),
      workspace.rename('/workspace/d', '/workspace/d/e/f'),
    ].map(errnoOf);
    expect(await Promise.all(errors)).toEqual(
      'ENOENT EISDIR ENOTDIR ENOENT EFBIG EACCES EISDIR EACCES EISDIR EEXIST ENOENT EEXIST ENOTDIR ENOENT ENOENT EISDIR EISDIR ENOTEMPTY ENOTDIR ENOENT EINVAL'.split(
        ' ',
      ),
    );
  });

  test('of concurrent writers are all kept', async () => {
    const { write, read, names } = open();
    await write('/workspace/log', '');
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await write(`/workspace/f${index}`, String(index));
        await write('/workspace/log', `${index}\n`, 'append');
      }),
    );
    const lines = (await read('/workspace/log')).trim().split('\n').map(Number);
    expect([lines.sort((a, b) => a - b), (await names('/workspace')).length]).toEqual([[...Array(50).keys()], 51]);
  });
});

describe('links in a workspace', () => {
  function planted() {
    const opened = open();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'SECRET');
    mkdirSync(opened.root, { recursive: true });
    symlinkSync(join(outside, 'secret'), join(opened.root, 'link'));
    symlinkSync(outside, join(opened.root, 'folder'));
    return { ...opened, outside, secret: () => readFileSync(join(outside, 'secret'), 'utf8') };
  }

  test('are not followed for reading, writing and listing', async () => {
    const { workspace, write, read, names, secret } = planted();
    const errors = [
      read('/workspace/link'),
      write('/workspace/link', 'x'),
      write('/workspace/link', 'x', 'append'),
      read('/workspace/folder/secret'),
      write('/workspace/folder/new', 'x'),
      workspace.makeFolder('/workspace/folder/new', true),
      workspace.makeFolder('/workspace/link', true),
      workspace.list('/workspace/folder', true),
      workspace.stat('/workspace/link'),
      workspace.remove('/workspace/folder/secret', { recursive: true, force: false }),
      workspace.removeFolder('/workspace/folder'),
      workspace.rename('/workspace/folder/secret', '/workspace/mine'),
    ].map(errnoOf);
    expect(await Promise.all(errors)).toEqual(
      'ELOOP ELOOP ELOOP ENOTDIR ENOTDIR EEXIST EEXIST ENOTDIR ENOENT ENOTDIR ENOTDIR ENOTDIR'.split(' '),
    );
    expect([secret(), await names('/workspace')]).toEqual(['SECRET', []]);
  });

  test('are moved and removed themselves, not their targets', async () => {
    const { root, workspace, secret, outside } = planted();
    await workspace.rename('/workspace/link', '/workspace/moved');
    await workspace.remove('/workspace/moved', { recursive: false, force: false });
    await workspace.remove('/workspace/folder', { recursive: true, force: true });
    await workspace.destroy();
    expect([secret(), existsSync(outside), existsSync(root)]).toEqual(['SECRET', true, false]);
  });
});

describe('the quota', () => {
  test('counts bytes after every kind of change', async () => {
    const { workspace, write } = open({ workspaceBytes: 100 });
    const fits = async (bytes: number) => {
      const errno = await write('/workspace/probe', 'x'.repeat(bytes)).catch((error) => error.code);
      await workspace.remove('/workspace/probe', { recursive: true, force: true });
      return errno === undefined;
    };
    const free = async (bytes: number) => [await fits(bytes), await fits(bytes + 1)];
    expect(await free(100)).toEqual([true, false]);
    await write('/workspace/a', 'x'.repeat(60));
    expect(await free(40)).toEqual([true, false]);
    await write('/workspace/a', 'x'.repeat(10));
    await write('/workspace/a', 'x'.repeat(10), 'append');
    expect(await free(80)).toEqual([true, false]);
    for (let time = 0; time < 5; time++) await workspace.rename('/workspace/a', '/workspace/a');
    expect(await free(80)).toEqual([true, false]);
    await write('/workspace/b', 'x'.repeat(30));
    await workspace.rename('/workspace/a', '/workspace/b');
    expect(await free(80)).toEqual([true, false]);
    await write('/workspace/no/folder', 'x').catch(() => undefined);
    await workspace.makeFolder('/workspace/d', false);
    await write('/workspace/d', 'x').catch(() => undefined);
    await write('/workspace/d/c', 'x'.repeat(80));
    expect(await free(0)).toEqual([true, false]);
    await workspace.remove('/workspace/d', { recursive: true, force: false });
    expect(await free(80)).toEqual([true, false]);
  });

  test('counts files and folders', async () => {
    const { workspace, write } = open({ workspaceFiles: 3 });
    await workspace.makeFolder('/workspace/a/b', true);
    await write('/workspace/c', '');
    expect([
      await errnoOf(write('/workspace/d', '')),
      await errnoOf(workspace.makeFolder('/workspace/d', true)),
    ]).toEqual(['WORKSPACE_FULL', 'WORKSPACE_FULL']);
    await workspace.removeFolder('/workspace/a/b');
    await write('/workspace/d', '');
    await workspace.remove('/workspace/a', { recursive: true, force: false });
    await write('/workspace/e', '');
    expect(await errnoOf(write('/workspace/f', ''))).toBe('WORKSPACE_FULL');
  });

  test('is reported with the current size, and counts existing files', async () => {
    const { root, write } = open();
    await write('/workspace/a', 'x'.repeat(60));
    const again = openWorkspace({ root, workspaceBytes: 100, workspaceFiles: 2 });
    const failure = await failureOf(again.write('/workspace/b', Buffer.alloc(41), 'replace'));
    expect(failure.message).toBe(
      'The workspace has 60 bytes; the limit is 100, and 41 more do not fit. Remove files first.',
    );
    await again.write('/workspace/b', Buffer.alloc(40), 'replace');
    expect((await failureOf(again.write('/workspace/c', Buffer.alloc(0), 'replace'))).message).toBe(
      'The workspace has 2 files; the limit is 2. Remove some first.',
    );
  });

  test('is not exceeded by concurrent writers', async () => {
    const { write, names } = open({ workspaceBytes: 100 });
    const all = Array.from({ length: 30 }, (_, index) => write(`/workspace/${index}`, 'x'.repeat(10)));
    const done = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect([done.length, (await names('/workspace')).length]).toEqual([10, 10]);
  });
});
