import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createOnce, readIfPresent } from '../data-folder/own-files.ts';

/**
 * Returns the id of a data folder, and creates it at the first call. Servers with other data folders can share a store, so records
 * there name the folder. Only a process with the same folder can judge the owner of a record.
 */
export function folderIdentity(dataDir: string): string {
  const path = join(dataDir, 'owners', 'folder');
  const found = readIfPresent(path);
  if (found !== undefined) return found;
  const id = randomUUID();
  return createOnce(path, id) ? id : (readIfPresent(path) ?? id);
}
