import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderError } from '../data-folder/data-folder.ts';
import { type Owner, ownersFolder } from './owner.ts';

/** Milliseconds after which a request is deleted: its execution ended before its owner saw it. */
const REQUEST_MS = 60_000;

/** Requests of any process of a data folder to cancel an execution that another one runs. */
export interface CancelRequests {
  /** Raises `CONFIG_INVALID` when the data folder cannot be written to. */
  add(executionId: string): Promise<void>;
}

/** Opens the requests. At each beat, `cancel` receives the requested ids. It returns false for an execution that does not run here. */
export function openCancelRequests(dataDir: string, owner: Owner, cancel: (id: string) => boolean): CancelRequests {
  const folder = join(ownersFolder(dataDir), 'cancel');
  const look = async () => {
    for (const id of await readdir(folder).catch(() => [])) {
      const path = join(folder, id);
      if (cancel(id) || (await isOld(path))) await rm(path, { force: true });
    }
  };
  owner.onBeat(() => void look().catch(() => undefined));
  return {
    async add(id) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(join(folder, id), '', { mode: 0o600 });
      } catch (cause) {
        throw dataFolderError(folder, cause);
      }
    },
  };
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > REQUEST_MS;
}
