import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { type FolderContent, flushFolder, readFolder } from './folder.ts';

/** Folders that are replaced as a whole. A crash at any moment leaves the old or the new content. */
export interface FolderSwap {
  /** Returns the names of all folders, including those that a crashed replacement left in `moved`. */
  names(): Promise<string[]>;
  /** Returns the content of a folder; undefined when there is none. Raises `BUSY`. */
  read(name: string): Promise<FolderContent | undefined>;
  /** Puts the folder `fresh` in the place of a folder. Raises `BUSY`. */
  replace(name: string, fresh: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Attempts before the changes of another process are reported as `BUSY`. */
const MAX_ATTEMPTS = 50;

/** Opens the folders in `root`. `moved` holds old folders during a replacement: `<name>.old.<uuid>`. */
export function openFolderSwap(root: string, moved: string): FolderSwap {
  const leftovers = async (name: string): Promise<string[]> => {
    const entries = await readdir(moved).catch(() => []);
    return entries.filter((entry) => entry.startsWith(`${name}.old.`));
  };
  /** Moves the old folder back that a crashed replacement left, or one that is still running. */
  const restore = async (name: string): Promise<boolean> => {
    const [left] = await leftovers(name);
    return left !== undefined && succeeds(rename(join(moved, left), join(root, name)));
  };
  const discard = async (name: string): Promise<void> => {
    for (const entry of await leftovers(name)) await rm(join(moved, entry), { recursive: true, force: true });
  };

  return {
    async names() {
      const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      const left = (await readdir(moved).catch(() => [])).flatMap((entry) => /^(.+)\.old\./.exec(entry)?.[1] ?? []);
      return [...new Set([...folders, ...left])].sort();
    },
    async read(name) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = await lstat(join(root, name)).catch(() => undefined);
        if (!before && (await restore(name))) continue;
        if (!before?.isDirectory()) return undefined;
        const content = await readFolder(join(root, name)).catch(() => undefined);
        const after = await lstat(join(root, name)).catch(() => undefined);
        // If another process replaced the folder meanwhile, the content may be a mixture of both.
        if (content && after?.ino === before.ino) return content;
      }
      throw busy(name);
    },
    async replace(name, fresh) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        await rename(join(root, name), join(moved, `${name}.old.${randomUUID()}`)).catch(() => undefined);
        if (!(await succeeds(rename(fresh, join(root, name))))) continue;
        await flushFolder(root);
        return discard(name);
      }
      throw busy(name);
    },
    async remove(name) {
      await mkdir(moved, { recursive: true, mode: 0o700 });
      const gone = join(moved, `${name}.gone.${randomUUID()}`);
      await rename(join(root, name), gone).catch(() => undefined);
      await rm(gone, { recursive: true, force: true });
      await discard(name);
    },
  };
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function busy(name: string): ToolwrightError {
  return new ToolwrightError('BUSY', `Other processes keep changing the skill "${name}". Try again.`);
}
