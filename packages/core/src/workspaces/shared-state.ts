import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ToolwrightError } from '../errors.ts';
import { createNameIndex, type NameIndex } from './file-names.ts';
import { inFolder } from './no-follow.ts';
import { fileError } from './paths.ts';
import { measureAll, type Size } from './tree.ts';

/** Maximum size of a folder. */
export interface Quota {
  readonly workspaceBytes: number;
  readonly workspaceFiles: number;
}

/** The space on disk that a user has. */
export interface DiskSpace {
  /** Takes space before something is written. Raises `WORKSPACE_FULL` when there is not enough. */
  take(bytes: number): Promise<void>;
  /** Adds the bytes of written data or, as a negative number, of removed data. */
  add(bytes: number): void;
}

/** The space of each file or folder in addition to its content: the block size of common file systems. */
const ENTRY_BYTES = 4_096;

/** Returns the bytes on disk of files and folders. */
export function spaceOf({ bytes, files }: Size): number {
  return bytes + files * ENTRY_BYTES;
}

/** The state that all users of one folder in this process share. */
export interface SharedWorkspace {
  readonly names: NameIndex;
  /** Creates the folder if it does not exist. */
  prepare(): Promise<void>;
  /** Runs changes one after another, because the size of each change depends on the files before it. */
  inTurn<T>(change: () => Promise<T>): Promise<T>;
  /** Returns the size of the folder, which the caller updates after a change. */
  size(): Promise<Size>;
  /** Discards the size, so that it is measured again: call it after a change that failed half-way. */
  forget(): void;
  /** Returns a path for an unfinished file, on the same disk as the folder. */
  stage(): string;
}

/** The staging folder is next to the folder itself, so that listings do not show it. */
const STAGING_SUFFIX = '.parts';
/** The file with the mark of the process that changed the folder last. */
const WRITER = 'writer';
/** Milliseconds after which a staged file is an orphan of a process that died. */
const LEFTOVER_MS = 60 * 60 * 1_000;

/** Returns the folder for unfinished files of a workspace. */
export function stagingOf(root: string): string {
  return root + STAGING_SUFFIX;
}

/** Makes all users of a folder measure it again: call it after a change that bypassed them. */
export async function forgetSize(root: string): Promise<void> {
  await rm(join(stagingOf(root), WRITER), { force: true });
}

/**
 * Creates the shared state of the workspace in `root`. Other processes may use the folder too: each writes its mark before
 * a change, and measures the size again after it found another mark. So each process exceeds the quota by at most one
 * change. Without `makeParents` (default: true) the folder is created only when its parent exists.
 */
export function shareWorkspace(root: string, { makeParents = true }: { makeParents?: boolean } = {}): SharedWorkspace {
  const mark = randomUUID();
  const staging = stagingOf(root);
  let isCleaned = false;
  const changes = pLimit(1);
  let size: Size | undefined;
  return {
    names: createNameIndex(),
    async prepare() {
      for (const folder of [root, staging]) {
        // Each operation asks: a look that waits for no thread takes a tenth of the time.
        if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
        await mkdir(folder, { recursive: makeParents, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST' || error.code === 'ENOENT') return;
          throw fileError(error.code ?? 'EIO', 'cannot create the folder of the workspace.');
        });
      }
      if (!isCleaned) await removeStagingOrphans(staging);
      isCleaned = true;
    },
    inTurn: (change) => changes(change),
    async size() {
      const writer = join(staging, WRITER);
      if (writerOf(writer) !== mark) {
        size = undefined;
        // If the mark cannot be written, for example on a full disk, every change measures the size.
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

/** Adds the size of a change. Raises `WORKSPACE_FULL` when it exceeds the quota. */
export function reserve(size: Size, change: Size, quota: Quota): void {
  if (change.bytes > 0 && size.bytes + change.bytes > quota.workspaceBytes) {
    const message = `The workspace has ${size.bytes} bytes; the limit is ${quota.workspaceBytes}, and ${change.bytes} more do not fit. Remove files first.`;
    throw new ToolwrightError('WORKSPACE_FULL', message);
  }
  if (change.files > 0 && size.files + change.files > quota.workspaceFiles) {
    const message = `The workspace has ${size.files} files; the limit is ${quota.workspaceFiles}. Remove some first.`;
    throw new ToolwrightError('WORKSPACE_FULL', message);
  }
  size.bytes += change.bytes;
  size.files += change.files;
}

function writerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function removeStagingOrphans(staging: string): Promise<void> {
  for (const name of await readdir(staging).catch(() => [])) {
    const path = join(staging, name);
    const found = await stat(path).catch(() => undefined);
    if (name !== WRITER && found && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(path, { force: true });
  }
}
