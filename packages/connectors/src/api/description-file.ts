import { messageOf, ToolwrightError } from '../errors.ts';
import { shownAddress } from '../network/shown-address.ts';
import { readRegularFile } from '../read-file.ts';
import { isUrl } from './urls.ts';

/** Maximum bytes of a description. */
export const MAX_DESCRIPTION_BYTES: number = 64 * 1024 * 1024;

/** Reads a file. Raises `CONFIG_INVALID` for a file that cannot be read, or is too large. */
export async function readDescriptionFile(server: string, path: string, limit: number): Promise<Buffer> {
  try {
    return await readRegularFile(path, limit);
  } catch (error) {
    throw invalidDescription(server, path, `cannot be read: ${messageOf(error)}`);
  }
}

/** Creates the error for a description that cannot be used. */
export function invalidDescription(server: string, source: string, problem: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `${server}: the description ${shown(source)} ${problem}.`);
}

function shown(source: string): string {
  return isUrl(source) ? shownAddress(source) : source;
}
