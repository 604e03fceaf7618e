import { readRegularFile, textOf, type UnreadableFile } from '@toolwright/connectors/read-file';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';

/** Maximum bytes of the file of a client, which may have its history in it. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Returns the text of a file; an empty one without the file. Raises `CONFIG_INVALID` if it cannot be read. */
export async function readText(file: string): Promise<string> {
  return textOf((await readBytes(file)) ?? Buffer.alloc(0));
}

/** Returns the bytes of a file; undefined without the file. Raises `CONFIG_INVALID` if it cannot be read. */
export async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(file, MAX_FILE_BYTES);
  } catch (cause) {
    if ((cause as UnreadableFile).code === 'ENOENT') return undefined;
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}
