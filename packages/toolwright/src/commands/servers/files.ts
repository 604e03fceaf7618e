import { readFile } from 'node:fs/promises';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';

/** Returns the text of a file; an empty one without the file. Raises `CONFIG_INVALID` if it cannot be read. */
export async function readText(file: string): Promise<string> {
  return (await readBytes(file))?.toString('utf8') ?? '';
}

/** Returns the bytes of a file; undefined without the file. Raises `CONFIG_INVALID` if it cannot be read. */
export async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}
