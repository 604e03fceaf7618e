import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, hasNoInodes } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';

/** Folders of the data folder that this process writes to. They may be on disks of their own. */
const FOLDERS = ['', 'executions', 'owners', 'sessions'];
/** One block of most file systems. */
const PROBE = Buffer.alloc(4_096);

/** Writes and removes a small file. Raises `CONFIG_INVALID` if the folder is not writable, or its disk full. Names no path. */
export async function checkDataFolder(dataDir: string): Promise<void> {
  for (const name of FOLDERS) await checkFolder(join(dataDir, name), name);
}

async function checkFolder(folder: string, name: string): Promise<void> {
  const probe = join(folder, `.ready.${process.pid}`);
  try {
    // The first execution creates the other folders.
    if (name === '') await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, PROBE, { mode: 0o600 });
  } catch (cause) {
    const code = errnoOf(cause as NodeJS.ErrnoException) ?? 'unknown error';
    if (name !== '' && code === 'ENOENT') return;
    const role = name === '' ? 'The data folder' : `The folder ${name} of the data folder`;
    const problem = problemOf(folder, code);
    throw new ToolwrightError('CONFIG_INVALID', `${role} ${problem}`, { cause, details: { errno: code } });
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

function problemOf(folder: string, code: string): string {
  if (code === 'EDQUOT') return 'has used its disk quota. Delete files, or raise the quota.';
  if (code !== 'ENOSPC') return `is not writable (${code}). Make it writable for the user of the server.`;
  return hasNoInodes(folder)
    ? 'has no free inodes on its disk. Delete files there, or use a file system with more inodes.'
    : 'has no free space on its disk. Free space there.';
}
