import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** What one call of `msb` gave. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the installer puts `msb`; npm and package managers put it on the path. */
const INSTALL_FOLDER = join(homedir(), '.microsandbox', 'bin');
const CALL_TIMEOUT_MS = 30_000;

/** The path of `msb`: the one that was given, else the first on the path, else the installer's. Undefined when there is none. */
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
 * What `msb` needs of our environment: where its files are. Never its cloud: a guest runs on this machine, whatever
 * profile the user's `msb` has.
 */
export function commandEnv(): Record<string, string> {
  const names = ['HOME', 'PATH', 'MSB_HOME', 'MSB_PATH', 'MSB_LIBKRUNFW_PATH'];
  const given = names.map((name) => [name, process.env[name]]).filter((entry) => entry[1] !== undefined);
  return { ...Object.fromEntries(given), MSB_BACKEND: 'local' };
}

/** Calls `msb` once and waits for its end. Never rejects: one that could not start has the code -1. */
export function callCommand(command: string, ...args: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: commandEnv(), timeout: CALL_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr: stderr || (error?.message ?? '') });
    });
  });
}
