import { text } from 'node:stream/consumers';
import { readRegularText } from '@toolwright/connectors/read-file';
import { UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';

/** Maximum bytes of a program file. */
const MAX_PROGRAM_BYTES = 16 * 1024 * 1024;

/** Where the source of a program is. */
export interface ProgramSource {
  /** A file, or `-` for standard input. */
  readonly file?: string;
  /** The source of the program, instead of a file. */
  readonly code?: string;
}

/** Reads the program of `run`. Raises `UsageError` unless exactly one source is given. */
export async function readProgram({ file, code }: ProgramSource): Promise<string> {
  if (code !== undefined && file !== undefined) throw new UsageError('Give a file or -e CODE, not both.');
  if (code !== undefined) return code;
  if (file === undefined) throw new UsageError('"run" requires a program: a file, - for standard input, or -e CODE.');
  if (file === '-') return text(process.stdin);
  return readRegularText(file, MAX_PROGRAM_BYTES).catch((error: unknown) => {
    throw new UsageError(
      `Cannot read the program ${file}: ${messageOf(error)}. Correct the path, or use - for a pipe.`,
    );
  });
}
