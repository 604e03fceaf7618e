import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { inFolder } from './no-follow.ts';
import { openWorkspace } from './workspace.ts';

const quota = { workspaceBytes: 1_000_000, workspaceFiles: 1_000 };

/** Creates a workspace, and next to it a folder with a secret, as other users of this machine may do. */
function open() {
  const root = join(temporaryFolder(), 'root');
  const outside = temporaryFolder();
  mkdirSync(root);
  writeFileSync(join(outside, 'secret'), 'SECRET');
  return { root, outside, workspace: openWorkspace({ ...quota, root }) };
}

const errnoOf = async (work: Promise<unknown>) => (await failureOf(work)).details.errno;

describe.runIf(process.platform === 'linux')('a folder that is swapped for a link', () => {
  test('between the check and the use leads nowhere', async () => {
    const { root, outside } = open();
    mkdirSync(join(root, 'd/e'), { recursive: true });
    await inFolder(root, ['workspace', 'd', 'e'], async (folder) => {
      renameSync(join(root, 'd'), join(root, 'moved'));
      symlinkSync(outside, join(root, 'd'));
      mkdirSync(join(outside, 'e'));
      writeFileSync(join(folder, 'new'), 'N');
    });
    expect([readdirSync(join(root, 'moved/e')), readdirSync(join(outside, 'e'))]).toEqual([['new'], []]);
  });

  test('continuously gives no access to files outside', async () => {
    const { root, outside, workspace } = open();
    const swap = `
      const { renameSync, rmSync, symlinkSync, mkdirSync, writeFileSync } = require('node:fs');
      const [root, outside] = process.argv.slice(1);
      process.chdir(root);
      const make = () => {
        for (const name of ['real', 'link', 'd']) rmSync(name, { recursive: true, force: true });
        mkdirSync('real'); writeFileSync('real/secret', 'mine'); symlinkSync(outside, 'link');
      };
      make();
      console.log('ready');
      for (;;) {
        try {
          renameSync('real', 'd'); renameSync('d', 'real');
          renameSync('link', 'd'); renameSync('d', 'link');
        } catch { try { make() } catch {} }
      }`;
    const child = spawn(process.execPath, ['-e', swap, root, outside], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const seen = new Set<string>();
    const until = performance.now() + 3_000;
    try {
      while (performance.now() < until) {
        seen.add(await workspace.read('d/secret', 100).then(String, () => 'refused'));
        await workspace.write('d/planted', Buffer.from('x'), 'replace').catch(() => undefined);
        await workspace.write('d/secret', Buffer.from('mine'), 'append').catch(() => undefined);
        await workspace.makeFolder('d/folder', true).catch(() => undefined);
        for (const { name } of await workspace.list('/workspace', true).catch(() => [])) seen.add(name);
        await workspace.remove('d', { recursive: true, force: true }).catch(() => undefined);
      }
    } finally {
      child.kill('SIGKILL');
    }
    expect([seen.has('SECRET'), seen.has('mine'), seen.has('refused')]).toEqual([false, true, true]);
    expect([readdirSync(outside), readFileSync(join(outside, 'secret'), 'utf8')]).toEqual([['secret'], 'SECRET']);
  });
});

test('a link in place of the workspace itself is not followed', async () => {
  const { root, outside, workspace } = open();
  rmSync(root, { recursive: true });
  symlinkSync(outside, root);
  const errors = [
    workspace.read('secret', 100),
    workspace.write('new', Buffer.from('x'), 'replace'),
    workspace.list('/workspace', true),
  ];
  expect(await Promise.all(errors.map(errnoOf))).toEqual(['ENOTDIR', 'ENOTDIR', 'ENOTDIR']);
  await workspace.destroy();
  expect([existsSync(root), readdirSync(outside)]).toEqual([false, ['secret']]);
});

test('a file that is linked from elsewhere is not changed there', async () => {
  const { root, outside, workspace } = open();
  for (const name of ['a', 'b']) linkSync(join(outside, 'secret'), join(root, name));
  await workspace.write('a', Buffer.from('+'), 'append');
  await workspace.write('b', Buffer.from('new'), 'replace');
  expect(['root/a', 'root/b'].map((name) => readFileSync(join(root, '..', name), 'utf8'))).toEqual(['SECRET+', 'new']);
  expect([readFileSync(join(outside, 'secret'), 'utf8'), statSync(join(outside, 'secret')).nlink]).toEqual([
    'SECRET',
    1,
  ]);
});

test.runIf(process.platform !== 'win32')(
  'a pipe is neither read nor written, and no operation waits for it',
  async () => {
    const { root, workspace } = open();
    spawnSync('mkfifo', [join(root, 'pipe')]);
    const errors = [
      workspace.read('pipe', 100),
      workspace.write('pipe', Buffer.from('x'), 'replace'),
      workspace.write('pipe', Buffer.from('x'), 'append'),
      workspace.stat('pipe'),
      workspace.list('pipe', true),
      workspace.write('pipe/x', Buffer.from('x'), 'replace'),
    ];
    expect(await Promise.all(errors.map(errnoOf))).toEqual([
      'EISDIR',
      'EISDIR',
      'ENXIO',
      'ENOENT',
      'ENOTDIR',
      'ENOTDIR',
    ]);
    expect(await workspace.list('/workspace', true)).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')(
  'the deepest path with the longest names is written, listed and removed',
  async () => {
    const { workspace } = open();
    const deep = Array.from({ length: 62 }, () => 'x'.repeat(255)).join('/');
    await workspace.makeFolder(deep, true);
    await workspace.write(`${deep}/f`, Buffer.from('deep'), 'replace');
    expect((await workspace.read(`${deep}/f`, 10)).toString()).toBe('deep');
    expect((await workspace.list('/workspace', true)).length).toBe(63);
    await workspace.remove('x'.repeat(255), { recursive: true, force: false });
    expect(await workspace.list('/workspace', true)).toEqual([]);
  },
);
