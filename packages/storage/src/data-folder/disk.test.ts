import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createToolwright } from '../../../core/src/toolwright.ts';
import { folderBlobs } from '../blobs/folder.ts';
import { sqliteStore } from '../sqlite.ts';
import { isUncreatable } from './disk.ts';

test('a folder on a usual disk can be created, and nothing is left of the look', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'there'));
  writeFileSync(join(folder, 'file'), '');
  for (const name of ['there', 'new', 'new/below', 'file/below']) expect(isUncreatable(join(folder, name))).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(['file', 'there']);
});

// Node never ends there when it creates a folder with `recursive`.
test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/below', '/proc/self/fd/x'])(
  'the file system of %s creates no folders: every user of it reports it',
  async (folder) => {
    expect(isUncreatable(folder)).toBe(true);
    const library = await failureOf(createToolwright({ dataDir: folder }));
    expect([library.code, library.message]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining(
        `The data folder ${folder} cannot be created: its file system creates no folders. Set dataDir`,
      ),
    ]);
    const store = sqliteStore({ path: join(folder, 'store.db') });
    expect((await failureOf(store.get('a', ['b']))).message).toContain(`The folder ${folder} cannot be created.`);
    const content = (async function* () {
      yield Buffer.from('x');
    })();
    const blobs = await failureOf(folderBlobs({ path: folder }).put('a', content));
    expect([blobs.code, blobs.message]).toEqual(['STORE_UNAVAILABLE', expect.stringContaining(folder)]);
  },
);
