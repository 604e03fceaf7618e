import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { diskName, foldName } from './file-names.ts';
import { openWorkspace } from './workspace.ts';

const quota = { workspaceBytes: 10_000, workspaceFiles: 5_000 };

test.each([
  ['a', 'a'],
  ['cafe\u0301', 'caf\u00e9'],
  ['\u212b', '\u00c5'],
  ['2026-11-22T03:38:00.json', '2026-11-22T03:38:00.json'],
  ['console.log', 'console.log'],
  ['auxiliary', 'auxiliary'],
  ['com10', 'com10'],
  ['.hidden', '.hidden'],
  ['...a', '...a'],
  ['👩\u200d💻.txt', '👩\u200d💻.txt'],
  ['می\u200cخواهم', 'می\u200cخواهم'],
])('%j is stored as %j', (part, expected) => {
  expect(diskName(part)).toBe(expected);
});

test.each([
  ...['CON', 'con', 'NUL.txt', 'aux.tar.gz', 'nul .txt', 'COM1', 'lpt9.log', 'COM¹', 'CONIN$', 'prn'],
  ...['a.', 'a ', 'a. .', '...'],
  ...['\ud800', 'a\udfffb', 'a\u202etxt.exe', '\u2066a', '\u200b', '\ufeff\u2060'],
])('%j is refused', (part) => {
  expect(() => diskName(part)).toThrow(expect.objectContaining({ details: { errno: 'EINVAL' } }));
});

test('a name that grows over 255 bytes when it is composed is refused', () => {
  // U+0958 has no composed form: NFC decomposes it.
  expect(() => diskName('\u0958'.repeat(60))).toThrow(expect.objectContaining({ details: { errno: 'ENAMETOOLONG' } }));
});

test.each([
  ['Readme.MD', 'readme.md'],
  ['ﬁle', 'file'],
  ['Ａ', 'a'],
  ['straße', 'STRASSE'],
  ['ſ', 's'],
  ['ΣΑΣ', 'σας'],
  ['a\u200db', 'ab'],
  ['a\u00adb', 'ab'],
  ['x²', 'x2'],
  ['K', 'k'],
])('%j is too similar to %j', (a, b) => {
  expect(foldName(a)).toBe(foldName(b));
});

test.each([
  ['а', 'a'],
  ['о', 'ο'],
  ['l', '1'],
  ['a b', 'ab'],
  ['e', 'é'],
])('%j is distinct from %j', (a, b) => {
  expect(foldName(a)).not.toBe(foldName(b));
});

describe('in a workspace', () => {
  const root = () => join(temporaryFolder(), 'root');
  const put = (workspace: ReturnType<typeof openWorkspace>, path: string) =>
    workspace.write(path, Buffer.from('x'), 'replace');
  const list = async (workspace: ReturnType<typeof openWorkspace>) =>
    (await workspace.list('/workspace', true)).map(({ name }) => name);

  test('two ways to write one name are one file', async () => {
    const workspace = openWorkspace({ ...quota, root: root() });
    await put(workspace, 'cafe\u0301');
    await put(workspace, 'caf\u00e9');
    expect(await list(workspace)).toEqual(['caf\u00e9']);
    expect((await workspace.read('cafe\u0301', 10)).toString()).toBe('x');
  });

  test('a name that some disk treats as an existing one is refused by every operation', async () => {
    const workspace = openWorkspace({ ...quota, root: root() });
    await put(workspace, 'Notes.md');
    await put(workspace, 'other');
    await workspace.makeFolder('/workspace/Data', false);
    const refused = [
      put(workspace, 'notes.md'),
      workspace.write('NOTES.md', Buffer.from('x'), 'append'),
      workspace.makeFolder('/workspace/notes.MD', false),
      workspace.makeFolder('/workspace/data/x', true),
      workspace.rename('other', 'ｎotes.md'),
    ];
    for (const attempt of refused) expect((await failureOf(attempt)).details).toEqual({ errno: 'EEXIST' });
    expect((await failureOf(put(workspace, 'notes.md'))).message).toBe(
      'EEXIST: /workspace/notes.md is too similar to the existing name "Notes.md". Use that name.',
    );
    await workspace.rename('Notes.md', 'notes.md');
    await put(workspace, '/workspace/Data/notes.md');
    expect(await list(workspace)).toEqual(['Data', 'Data/notes.md', 'notes.md', 'other']);
    await workspace.remove('notes.md', { recursive: false, force: false });
    await put(workspace, 'Notes.md');
    expect(await list(workspace)).toContain('Notes.md');
  });

  test('names that another process created count', async () => {
    const folder = root();
    const workspace = openWorkspace({ ...quota, root: folder });
    await put(workspace, 'a');
    writeFileSync(join(folder, 'B'), '');
    mkdirSync(join(folder, 'C'));
    for (const name of ['b', 'c']) expect((await failureOf(put(workspace, name))).details).toEqual({ errno: 'EEXIST' });
  });

  test('existing files do not slow down many new files', async () => {
    const folder = root();
    const workspace = openWorkspace({ ...quota, root: folder });
    // CPU time, which other programs on the machine hardly change.
    const time = async (prefix: string) => {
      const started = process.cpuUsage();
      for (let index = 0; index < 100; index++) await put(workspace, `${prefix}${index}`);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1_000;
    };
    await time('warm');
    const first = await time('a');
    for (let index = 0; index < 3_000; index++) writeFileSync(join(folder, `b${index}`), '');
    // Listing 3,200 names for each would be far more than this.
    expect(await time('z')).toBeLessThan(first * 4 + 200);
  });
});
