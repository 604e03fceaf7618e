import { type ChildProcess, type ExecFileOptions, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { descriptorShortage, requireDescriptors } from './descriptors.ts';

/** Descriptors that a start needs for a moment, in addition to the two ends of each stream. */
const START_DESCRIPTORS = 8;

/**
 * Starts a process. Processes of the packages start here or by `execFile`: a failed start without a listener would end this process.
 * `onError` receives each error event. Raises `BUSY` if this process lacks file descriptors for the new one.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  onError: (error: NodeJS.ErrnoException) => void,
): ChildProcess {
  // A start that fails without descriptors leaves the streams of the new process open for ever: Node forgets them.
  requireDescriptors(2 * streamsOf(options) + START_DESCRIPTORS);
  const child = spawn(command, args, options).on('error', onError);
  // The types do not say so, but without descriptors Node creates no streams. Another thread may have opened files meanwhile.
  if ((child as Partial<ChildProcess>).stdio === undefined) throw descriptorShortage();
  return child;
}

const execute = promisify(execFile);

/**
 * Runs a program to its end. Rejects with the error of `execFile`, which has its output, and with `BUSY` if this process lacks
 * file descriptors for it.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  requireDescriptors(2 * streamsOf({}) + START_DESCRIPTORS);
  return execute(command, args, { ...options, encoding: 'utf8' });
}

function streamsOf({ stdio = 'pipe' }: SpawnOptions): number {
  const streams = typeof stdio === 'string' ? [stdio, stdio, stdio] : stdio;
  return streams.filter((stream) => stream === 'pipe' || stream === 'ipc').length;
}
