import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { fileEntry, folderEntry, mountFiles, readOnly } from './mounts.ts';
import { openWorkspace } from './workspace.ts';

function tree() {
  const quota = { workspaceBytes: 10_000, workspaceFiles: 100 };
  const workspace = openWorkspace({ ...quota, root: temporaryFolder() });
  const skills = openWorkspace({ ...quota, root: temporaryFolder(), mount: 'skills' });
  const fixed = openWorkspace({ ...quota, root: temporaryFolder(), mount: 'servers' });
  return { fixed, files: mountFiles({ workspace, skills, servers: readOnly(fixed, 'it is generated.') }) };
}

describe('mounts', () => {
  test('keep the files of each part apart', async () => {
    const { files } = tree();
    await files.write('/workspace/a', Buffer.from('1'), 'replace');
    await files.write('/skills/a', Buffer.from('22'), 'replace');
    await files.write('b', Buffer.from('3'), 'replace');
    expect((await files.list('/workspace', true)).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await files.read('/skills/../skills/a', 10)).toString()).toBe('22');
    expect((await files.stat('/skills/a')).size).toBe(2);
  });

  test('are the entries of the root folder', async () => {
    const { files } = tree();
    expect(await files.list('/', false)).toEqual(['servers', 'skills', 'workspace'].map(folderEntry));
    expect(await files.stat('/')).toEqual(folderEntry('/'));
  });

  test('contain all files', async () => {
    const { files } = tree();
    for (const path of ['/etc/passwd', '/', '/constructor/a', '/__proto__/a']) {
      const { code, details, message } = await failureOf(files.read(path, 10));
      expect([code, details.errno]).toEqual(['FILE_ERROR', 'EACCES']);
      expect(message).toContain('is outside of /servers, /skills, /workspace.');
    }
  });

  test('refuse to rename a file from one to another', async () => {
    const { files } = tree();
    await files.write('/workspace/a', Buffer.from('1'), 'replace');
    expect((await failureOf(files.rename('/workspace/a', '/skills/a'))).details).toEqual({ errno: 'EXDEV' });
    await files.rename('/workspace/a', '/workspace/b');
    expect((await files.stat('/workspace/b')).kind).toBe('file');
  });
});

test('a read-only part can be read, and refuses every change', async () => {
  const { fixed, files } = tree();
  await fixed.write('/servers/x', Buffer.from('X'), 'replace');
  expect((await files.read('/servers/x', 10)).toString()).toBe('X');
  expect(await files.list('/servers', false)).toMatchObject([{ ...fileEntry('x', 1), mtimeMs: expect.any(Number) }]);
  const changes = [
    files.write('/servers/x', Buffer.from('Y'), 'replace'),
    files.makeFolder('/servers/d', true),
    files.remove('/servers/x', { recursive: true, force: true }),
    files.removeFolder('/servers/x'),
    files.rename('/servers/x', '/servers/y'),
  ];
  for (const change of changes) expect((await failureOf(change)).message).toContain('it is generated.');
  expect((await fixed.read('/servers/x', 10)).toString()).toBe('X');
});
