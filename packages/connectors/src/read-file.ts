import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { messageOf } from './errors.ts';

const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is a device or a socket, not a file',
  EISDIR: 'it is a folder, not a file',
};

/** A file that cannot be used. The message is the end of a sentence about it: `it is a named pipe, not a file`. */
export class UnreadableFile extends Error {
  /** The code of Node's `fs`, such as `ENOENT`; undefined for another reason. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'UnreadableFile';
    this.code = code;
  }
}

/**
 * Opens a file that others may have exchanged: for a named pipe, a device, or a file without end. Never waits for another process. Rejects
 * with an `UnreadableFile` for everything but a regular file of at most `maxBytes`.
 */
export async function openRegularFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly file: FileHandle; readonly size: number }> {
  try {
    // To open a device can have an effect, so the kind is known before.
    checkKind(await stat(path), maxBytes);
    const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      return { file, size: checkKind(await file.stat(), maxBytes) };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw unreadable(error);
  }
}

/** Reads a file like {@link openRegularFile}, and at most `maxBytes` of it. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  const { file, size } = await openRegularFile(path, maxBytes);
  try {
    return await readAll(file, size);
  } catch (error) {
    throw unreadable(error);
  } finally {
    await file.close();
  }
}

function unreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new UnreadableFile(REASONS[code ?? ''] ?? messageOf(error), code);
}

/** Reads a text like {@link readRegularFile}, without a byte order mark. It is in UTF-8, or in UTF-16 as PowerShell writes it. */
export async function readRegularText(path: string, maxBytes: number): Promise<string> {
  return textOf(await readRegularFile(path, maxBytes)).replace(/^\uFEFF/, '');
}

/** Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark. The mark stays. */
export function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8');
}

/** Returns the bytes of a regular file. */
function checkKind(stats: Stats, maxBytes: number): number {
  if (stats.isDirectory()) throw new UnreadableFile('it is a folder, not a file', 'EISDIR');
  if (stats.isFIFO()) throw new UnreadableFile('it is a named pipe, not a file');
  if (!stats.isFile()) throw new UnreadableFile('it is a device or a socket, not a file');
  if (stats.size <= maxBytes) return stats.size;
  throw new UnreadableFile(`it has ${stats.size} bytes, the limit is ${maxBytes}`);
}

async function readAll(file: FileHandle, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes + 1);
  let end = 0;
  while (end < buffer.length) {
    const { bytesRead } = await file.read(buffer, end, buffer.length - end, end);
    if (bytesRead === 0) return buffer.subarray(0, end);
    end += bytesRead;
  }
  const problem = bytes === 0 ? 'it is made by the system (as in /proc), and has no size' : 'it grows while it is read';
  throw new UnreadableFile(problem);
}
