import { messageOf, SandboxError } from '../errors.ts';
import { runProgram } from '../processes/start-process.ts';

/** Places to get artefacts from. Default: those of the user's pip and npm. */
export interface PackageSources {
  /** Address of a package index for pip. */
  readonly index?: string | undefined;
  /** Address of a registry for npm. */
  readonly registry?: string | undefined;
  /** A folder with wheels and npm archives. Nothing else is asked then. */
  readonly mirror?: string | undefined;
}

/** An error of pip or npm, with its output. */
export interface ToolError extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Resolving and loading the largest preset takes a minute on a slow network. */
const MAX_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 6;
const SHOWN_CHARACTERS = 1_000;

/** Runs pip or npm to its end. Rejects with a {@link ToolError}, and with `CONFIG_INVALID` for a missing program. */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const options = { cwd, timeout: MAX_MS, maxBuffer: MAX_OUTPUT_BYTES, env: { ...process.env, ...env } };
  try {
    return (await runProgram(program, args, options)).stdout;
  } catch (error) {
    if ((error as ToolError).code !== 'ENOENT') throw error;
    throw invalidPackages(`${program} is not installed, which loads packages. Install it, then run this again.`);
  }
}

/** Returns the last lines that a tool printed as its error, for people. */
export function lastWords(error: unknown): string {
  const { stderr = '', stdout = '' } = error as ToolError;
  const lines = `${stderr}`.split('\n').filter((line) => /\S/.test(line) && !/WARNING|notice/i.test(line));
  const text = (lines.length > 0 ? lines : `${stdout}`.split('\n')).slice(-SHOWN_LINES).join(' ').trim();
  return (text || messageOf(error)).slice(0, SHOWN_CHARACTERS);
}

/** Returns an error about the requested packages, which the user can correct. */
export function invalidPackages(message: string, cause?: unknown): SandboxError {
  return new SandboxError('CONFIG_INVALID', message, { cause });
}
