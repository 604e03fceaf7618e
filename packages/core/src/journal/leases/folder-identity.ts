import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolderError } from '../data-folder.ts';
import { ownersFolder } from './owner.ts';

/**
 * Returns the id of a data folder, and creates it at the first call. Servers with other data folders can share a store, so records
 * there name the folder. Only a process with the same folder can judge the owner of a record.
 */
export function folderIdentity(dataDir: string): string {
  const folder = ownersFolder(dataDir);
  const path = join(folder, 'folder');
  return read(path) ?? create(folder, path);
}

function create(folder: string, path: string): string {
  const id = randomUUID();
  const draft = join(folder, `folder.${id}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, id, { mode: 0o600 });
    linkSync(draft, path);
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw dataFolderError(folder, error);
    return read(path) ?? id;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw dataFolderError(path, error);
  }
}
