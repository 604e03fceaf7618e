import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { ToolwrightError } from '../errors.ts';

/** Time for the file system of the data folder to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Asks for the file system of the folder, or of its nearest parent: no cache answers `statfs`. Prints the path of a named pipe
 * in the folder.
 */
const LOOK_UP = `
const { readdirSync, statfsSync, statSync } = require('node:fs');
const { dirname, join } = require('node:path');
const given = process.argv[1];
for (let folder = given; ; folder = dirname(folder)) {
  try {
    statfsSync(folder);
    break;
  } catch (error) {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) break;
  }
}
const isPipe = (path) => statSync(path, { throwIfNoEntry: false })?.isFIFO();
try {
  const found = readdirSync(given).map((name) => join(given, name)).find(isPipe);
  if (found !== undefined) process.stdout.write(found);
} catch {}`;

/**
 * Raises `CONFIG_INVALID` when the data folder would stop this process. Its file system may not answer, as a disconnected network
 * mount, or it has a named pipe. A process of its own looks: a waiting thread would keep this process from ever ending. Other
 * errors of the folder are those of its first use.
 */
export async function checkDataFolder(dataDir: string, answerMs: number = ANSWER_MS): Promise<void> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const probe = spawn(process.execPath, ['-e', LOOK_UP, dataDir], { stdio: ['ignore', 'pipe', 'ignore'], env });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), answerMs);
  });
  // A probe that cannot start proves nothing about the folder.
  const failed = new Promise<string>((resolve) => probe.once('error', () => resolve('')));
  const blocking = await Promise.race([text(probe.stdout).catch(() => ''), failed, late]);
  clearTimeout(timer);
  if (blocking === '') return;
  if (blocking !== undefined) {
    const message = `${blocking} in the data folder is a named pipe. Move it away: Toolwright would wait for its other end.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  // The process may wait in the kernel, where no signal reaches it; this one does not wait for it.
  probe.kill('SIGKILL');
  probe.stdout.destroy();
  probe.unref();
  const fix = 'Check its mount (NFS, FUSE), or set dataDir or TOOLWRIGHT_DATA_DIR to another folder.';
  const message = `The data folder ${dataDir} did not answer within ${answerMs} ms: its file system hangs. ${fix}`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
