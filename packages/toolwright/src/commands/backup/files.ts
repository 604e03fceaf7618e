import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file of a backup. */
export interface BackupFile {
  /** With slashes, from the folder of the data. */
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface CopyOptions {
  /** Entries of the top folder that are not copied. */
  readonly isLeftOut?: (name: string) => boolean;
  /** Called after each file with the number of all so far. */
  readonly onFile?: (count: number) => void;
  /** Whether a file replaces one of the same name. Default: false, and such a file rejects. */
  readonly replaces?: boolean;
}

/**
 * Copies the files and folders of a folder into a new one, for this user only. Symbolic links are left out: a program could have made one
 * that leads outside. Returns the files in the order of their paths.
 */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<BackupFile[]> {
  const { isLeftOut = () => false, onFile = () => undefined, replaces = false } = options;
  const files: BackupFile[] = [];
  const copy = async (folder: string): Promise<void> => {
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    const entries = await readdir(join(from, folder), { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (folder === '' && isLeftOut(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await copy(path);
      else if (entry.isFile()) {
        files.push({ path, ...(await copyFile(join(from, path), join(to, path), replaces)) });
        onFile(files.length);
      }
    }
  };
  await copy('');
  return files;
}

async function copyFile(from: string, to: string, replaces: boolean): Promise<Omit<BackupFile, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await pipeline(
    createReadStream(from),
    measured,
    createWriteStream(to, { flags: replaces ? 'w' : 'wx', mode: 0o600 }),
  );
  return { bytes, sha256: hash.digest('hex') };
}
