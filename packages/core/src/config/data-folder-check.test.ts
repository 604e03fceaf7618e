import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { checkDataFolder } from './data-folder-check.ts';

/** Names that a shell could misread. */
const NAMES = ['data', 'with a space', '-e', '*', '$(touch made)', 'a\nline', '"quoted\''];

it.runIf(process.platform !== 'win32').each(NAMES)('finds a named pipe in a folder with the name %j', async (name) => {
  const folder = filledFolder(name);
  await checkDataFolder(join(folder, 'missing', 'folder'));
  await checkDataFolder(folder);
  await expectPipe(folder, 'pipe of * "all"');
});

it.runIf(process.platform !== 'win32')(
  'finds a hidden named pipe, a link to one, and none in a missing folder',
  async () => {
    await checkDataFolder(join(temporaryFolder(), 'data'));
    const folder = filledFolder('data');
    await checkDataFolder(relative(process.cwd(), folder));
    await expectPipe(folder, '.hidden');
    rmSync(join(folder, '.hidden'));
    const outside = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', [outside]);
    symlinkSync(outside, join(folder, 'link to a pipe'));
    await expect(checkDataFolder(folder)).rejects.toMatchObject({ message: expect.stringContaining('link to a pipe') });
  },
);

/** Creates a folder with files, a folder and a link. */
function filledFolder(name: string): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  for (const file of NAMES) writeFileSync(join(folder, file), '');
  mkdirSync(join(folder, 'folder'));
  symlinkSync('missing', join(folder, 'link to nothing'));
  return folder;
}

async function expectPipe(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  spawnSync('mkfifo', [path]);
  const message = expect.stringContaining(`${path} in the data folder is a named pipe`);
  await expect(checkDataFolder(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID', message });
}

it('leaves a file in the place of the folder to its first use', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await checkDataFolder(path);
  await checkDataFolder(join(path, 'below'));
});

it.runIf(process.platform === 'linux')('starts no other Node, which takes much longer than a shell', async () => {
  const { execPath } = process;
  process.execPath = '/missing/node';
  try {
    await checkDataFolder(temporaryFolder());
    const folder = temporaryFolder();
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    await expect(checkDataFolder(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  } finally {
    process.execPath = execPath;
  }
});
