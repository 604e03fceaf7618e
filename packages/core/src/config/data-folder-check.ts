import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { startProcess } from '@toolwright/sandbox/processes';
import { requireDataFolder } from '@toolwright/storage/internal';
import { ToolwrightError } from '../errors.ts';

/** Time for the file system of the data folder to answer, in milliseconds. */
const ANSWER_MS = 10_000;
const NO_ANSWER = Symbol('no answer');

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

/** The same for a shell of Linux, which starts ten times faster than Node. Fails without a `stat` that knows file systems. */
const SHELL_LOOK_UP = `
folder=$1
until [ -e "$folder" ] || [ "$folder" = / ]; do
  folder=\${folder%/*}
  folder=\${folder:-/}
done
stat -f -- "$folder" >/dev/null 2>&1 || exit 1
for path in "$1"/* "$1"/.*; do
  if [ -p "$path" ]; then
    printf %s "$path"
    exit 0
  fi
done`;
const SHELL_ENVIRONMENT = { PATH: '/usr/bin:/bin' };

/** A program that looks at the folder. */
interface Probe {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Raises `CONFIG_INVALID` when the data folder would stop this process. Its file system does not answer (a disconnected network mount) or
 * creates no folders (`/proc`), or the folder has a named pipe. Raises it for a folder of another user, too. Another process looks, because a
 * waiting thread would keep this one from ending. Other errors of the folder are those of its first use.
 */
export async function checkDataFolder(dataDir: string, answerMs: number = ANSWER_MS): Promise<void> {
  for (const probe of probesOf(resolve(dataDir))) {
    const blocking = await look(probe, answerMs);
    // This probe cannot look. Without any, nothing is known about the folder.
    if (blocking === undefined) continue;
    if (blocking === '') break;
    if (blocking !== NO_ANSWER) {
      const message = `${blocking} in the data folder is a named pipe. Move it away: Toolwright would wait for its other end.`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    }
    const fix = 'Check its mount (NFS, FUSE), or set dataDir or TOOLWRIGHT_DATA_DIR to another folder.';
    const message = `The data folder ${dataDir} did not answer within ${answerMs} ms: its file system hangs. ${fix}`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  requireDataFolder(dataDir);
}

function probesOf(folder: string): Probe[] {
  const shell = { command: '/bin/sh', args: ['-c', SHELL_LOOK_UP, 'sh', folder], env: SHELL_ENVIRONMENT };
  const node = { command: process.execPath, args: ['-e', LOOK_UP, folder], env: { ...process.env, NODE_OPTIONS: '' } };
  return process.platform === 'linux' ? [shell, node] : [node];
}

/** Returns the path of a named pipe or an empty text, `NO_ANSWER`, or undefined if the program failed. */
async function look({ command, args, env }: Probe, answerMs: number): Promise<string | typeof NO_ANSWER | undefined> {
  let fail: (nothing: undefined) => void = () => undefined;
  const failed = new Promise<undefined>((resolveFailed) => {
    fail = resolveFailed;
  });
  const probe = startProcess(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env }, () => fail(undefined));
  const stdout = probe.stdout as Readable;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof NO_ANSWER>((resolveLate) => {
    timer = setTimeout(() => resolveLate(NO_ANSWER), answerMs);
  });
  const ended = Promise.all([text(stdout), once(probe, 'exit')]).then(
    ([path, [code]]) => (code === 0 ? path : undefined),
    () => undefined,
  );
  const found = await Promise.race([ended, failed, late]);
  clearTimeout(timer);
  if (found === NO_ANSWER) {
    // The process may wait in the kernel, where no signal reaches it; this one does not wait for it.
    probe.kill('SIGKILL');
    stdout.destroy();
    probe.unref();
  }
  return found;
}
