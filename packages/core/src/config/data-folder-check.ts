import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ToolwrightError } from '../errors.ts';

/** Time for the file system of the data folder to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** Asks for the file system of the folder, or of its nearest parent. No cache answers `statfs`. */
const LOOK_UP = `
const { statfsSync } = require('node:fs');
const { dirname } = require('node:path');
for (let folder = process.argv[1]; ; folder = dirname(folder)) {
  try {
    statfsSync(folder);
    break;
  } catch (error) {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) break;
  }
}`;

/**
 * Raises `CONFIG_INVALID` when the file system of the data folder does not answer, as a disconnected network mount does. A
 * process of its own looks: a thread that waits for such a file system would keep this process from ever ending. Other errors
 * of the folder are those of its first use.
 */
export async function checkDataFolder(dataDir: string, answerMs: number = ANSWER_MS): Promise<void> {
  const probe = spawn(process.execPath, ['-e', LOOK_UP, dataDir], { stdio: 'ignore', env: {} });
  const waiting = new AbortController();
  const answered = once(probe, 'exit', { signal: waiting.signal }).then(
    () => true,
    (error: unknown) => !waiting.signal.aborted && error !== undefined,
  );
  const timer = setTimeout(() => waiting.abort(), answerMs);
  const isAnswered = await answered;
  clearTimeout(timer);
  if (isAnswered) return;
  // The process may wait in the kernel, where no signal reaches it; this one does not wait for it.
  probe.kill('SIGKILL');
  probe.unref();
  const fix = 'Check its mount (NFS, FUSE), or set dataDir or TOOLWRIGHT_DATA_DIR to another folder.';
  throw new ToolwrightError(
    'CONFIG_INVALID',
    `The data folder ${dataDir} did not answer within ${answerMs} ms: its file system hangs. ${fix}`,
  );
}
