import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ToolwrightError } from '../errors.ts';
import { createNameIndex, type NameIndex } from './names.ts';
import { inFolder } from './no-follow.ts';
import { fileError } from './paths.ts';
import { measureAll, type Size } from './tree.ts';

/** How much a folder may hold. */
export interface Quota {
  readonly workspaceBytes: number;
  readonly workspaceFiles: number;
}

/** What all who use one folder at the same time share. */
export interface WorkspaceUse {
  readonly names: NameIndex;
  /** Makes the folder where it is not there. */
  prepare(): Promise<void>;
  /** Runs changes one after another: what each adds to and takes from the quota depends on what is there. */
  inTurn<T>(change: () => Promise<T>): Promise<T>;
  /** How much is in the folder; whoever changes it adds and takes away. */
  size(): Promise<Size>;
  /** Forgets how much is in the folder, after a change that may have been done in part. */
  forget(): void;
  /** A path for a file that is not to be seen yet, on the disk of the folder. */
  stage(): string;
}

/** Beside the folder itself, so that no listing shows it. */
const STAGING_SUFFIX = '.parts';
/** Who changed the folder last. */
const WRITER = 'writer';
/** A staged file this old, in milliseconds, was left by a process that is gone. */
const LEFTOVER_MS = 60 * 60 * 1_000;

/** Where unfinished files of a folder lie. */
export function stagingOf(root: string): string {
  return root + STAGING_SUFFIX;
}

/**
 * Makes what users of `root` share. Other processes may use the folder too: each leaves its mark before it changes
 * something, and measures again after it found another's mark. So a quota is exceeded by one change of each at most.
 * Without `makeParents` (default true) the folder is made only where the one that it lies in is there.
 */
export function shareWorkspace(root: string, { makeParents = true }: { makeParents?: boolean } = {}): WorkspaceUse {
  const mark = randomUUID();
  const staging = stagingOf(root);
  let isCleaned = false;
  const changes = pLimit(1);
  let size: Size | undefined;
  return {
    names: createNameIndex(),
    async prepare() {
      for (const folder of [root, staging]) {
        await mkdir(folder, { recursive: makeParents, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST' || error.code === 'ENOENT') return;
          throw fileError(error.code ?? 'EIO', 'cannot make the folder of the workspace.');
        });
      }
      if (!isCleaned) await removeStagingOrphans(staging);
      isCleaned = true;
    },
    inTurn: (change) => changes(change),
    async size() {
      const writer = join(staging, WRITER);
      if ((await readFile(writer, 'utf8').catch(() => '')) !== mark) {
        size = undefined;
        // Without a mark, on a full disk for instance, every change measures.
        await writeFile(writer, mark, { mode: 0o600 }).catch(() => undefined);
      }
      size ??= await inFolder(root, [''], measureAll);
      return size;
    },
    forget() {
      size = undefined;
    },
    stage: () => join(staging, randomUUID()),
  };
}

/** Takes from the quota what a change needs. Raises `WORKSPACE_FULL`. */
export function reserve(size: Size, change: Size, quota: Quota): void {
  if (change.bytes > 0 && size.bytes + change.bytes > quota.workspaceBytes) {
    const message = `The workspace holds ${size.bytes} bytes and may hold ${quota.workspaceBytes}; ${change.bytes} more do not fit. Remove files first.`;
    throw new ToolwrightError('WORKSPACE_FULL', message);
  }
  if (change.files > 0 && size.files + change.files > quota.workspaceFiles) {
    const message = `The workspace may hold ${quota.workspaceFiles} files. Remove some first.`;
    throw new ToolwrightError('WORKSPACE_FULL', message);
  }
  size.bytes += change.bytes;
  size.files += change.files;
}

async function removeStagingOrphans(staging: string): Promise<void> {
  for (const name of await readdir(staging).catch(() => [])) {
    const path = join(staging, name);
    const found = await stat(path).catch(() => undefined);
    if (name !== WRITER && found && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(path, { force: true });
  }
}
