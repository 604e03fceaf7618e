import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { runProgram } from '../../processes/start-process.ts';

/** The result of one call of `msb`. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The installer's folder for `msb`; npm and package managers install it on the path. */
const INSTALL_FOLDER = join(homedir(), '.microsandbox', 'bin');
const CALL_TIMEOUT_MS = 30_000;

/** Returns the path of `msb`: the given one, else the first on the path, else the installer's; or `undefined`. */
export function findCommand(given: string | undefined): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), INSTALL_FOLDER];
  const paths = given === undefined ? folders.map((folder) => join(folder, 'msb')) : [given];
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Returns the environment for `msb`: only the paths of its files. It has no cloud settings, so that guests run on this machine
 * even if the user's `msb` has a cloud profile.
 */
export function commandEnv(): Record<string, string> {
  const names = ['HOME', 'PATH', 'MSB_HOME', 'MSB_PATH', 'MSB_LIBKRUNFW_PATH'];
  const given = names.map((name) => [name, process.env[name]]).filter((entry) => entry[1] !== undefined);
  return { ...Object.fromEntries(given), MSB_BACKEND: 'local' };
}

/** Calls `msb` once and waits for its end. Never rejects: a failed start has the code -1. */
export async function callCommand(command: string, ...args: string[]): Promise<CommandResult> {
  try {
    const options = { env: commandEnv(), timeout: CALL_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
    return { code: 0, ...(await runProgram(command, args, options)) };
  } catch (error) {
    const { code, stdout = '', stderr } = error as Partial<CommandResult>;
    return { code: typeof code === 'number' ? code : -1, stdout, stderr: stderr || messageOf(error) };
  }
}
