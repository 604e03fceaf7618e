import { closeSync, constants, lstatSync, readFile, readFileSync, type Stats, unlinkSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foldName } from '../file-names.ts';
import { fileError, openFile, openNow } from '../paths.ts';
import type { Place, Places } from '../places.ts';
import { type DiskSpace, type Quota, reserve, type SharedWorkspace, spaceOf } from '../shared-state.ts';
import { look, measure, removeTree, type Size } from '../tree.ts';
import { MAX_SHORT_BYTES, replaceFile } from './atomic-write.ts';

const readLater = promisify(readFile);

/** Changes of many files, and of files that were staged before. */
interface BatchChanges {
  /** Removes files and folders that exist. */
  removeAll(places: readonly Place[]): Promise<void>;
  /** Raises `WORKSPACE_FULL` if a file of this size has no space. */
  checkSize(place: Place, bytes: number): Promise<void>;
  /** Replaces a file with a file of the staging folder, which is moved. */
  adopt(place: Place, staged: string): Promise<void>;
  /** Takes the space of files of one folder. Returns their modes, undefined for new ones; undefined if not all can be written. */
  reserveAll(
    files: readonly { readonly place: Place; readonly data: Buffer }[],
  ): Promise<readonly (number | undefined)[] | undefined>;
  /** Adds files to the index of names after they were written. */
  named(places: readonly Place[]): Promise<void>;
}

/** The changes to a workspace. Each keeps the quota and the index of names up to date. */
export interface Changes extends BatchChanges {
  /** Writes a file atomically. `own` is the quota for it; default: that of the workspace. */
  replace(place: Place, data: Buffer, own?: Quota): Promise<void>;
  append(place: Place, data: Buffer): Promise<void>;
  /** Creates a folder. An existing folder is an error unless `mayExist` is set. */
  makeFolder(place: Place, mayExist: boolean, own?: Quota): Promise<void>;
  /** Removes a file, or a folder with its content. */
  remove(place: Place): Promise<void>;
  move(source: Place, target: Place): Promise<void>;
}

export interface ChangesOptions {
  readonly places: Places;
  readonly shared: SharedWorkspace;
  readonly quota: Quota;
  /** The space of the user. Default: without a limit. */
  readonly space?: DiskSpace | undefined;
  /** Whether a write waits for the disk. */
  readonly durable: boolean;
}

/** Creates the changes of one workspace. The caller runs them one after another. */
export function changesOf(options: ChangesOptions): Changes {
  const { places, shared, durable } = options;
  const steps = stepsOf(options);
  const { tracked, grow, shrink, added } = steps;

  async function replace(place: Place, data: Buffer, own?: Quota): Promise<void> {
    const { folder, name, path } = place;
    const before = await look(folder, name);
    checkIsFile(before, path);
    if (!before) await places.refuseTwin(place);
    await grow({ bytes: data.length - (before?.size ?? 0), files: before ? 0 : 1 }, own);
    const mode = before ? before.mode & 0o777 : 0o600;
    await tracked(replaceFile(join(folder, name), shared.stage(), data, { mode, durable }));
    if (!before) await added(place);
  }

  return {
    ...batchChanges(options, steps),
    replace,
    async append(place, data) {
      const { folder, name, path } = place;
      const before = await look(folder, name);
      if (!before) await places.refuseTwin(place);
      // A file with other hard links gets a copy, so that the other names keep their content.
      if (before && before.nlink > 1) return replace(place, Buffer.concat([await readWhole(place, before.size), data]));
      await grow({ bytes: data.length, files: before ? 0 : 1 });
      await tracked(appendTo(join(folder, name), path, data, durable));
      if (!before) await added(place);
    },
    async makeFolder(place, mayExist, own) {
      const found = await look(place.folder, place.name);
      if (found && !(mayExist && found.isDirectory())) throw fileError('EEXIST', `${place.path} already exists.`);
      if (found) return;
      await places.refuseTwin(place);
      await grow({ bytes: 0, files: 1 }, own);
      await tracked(mkdir(join(place.folder, place.name), 0o700));
      await added(place);
    },
    async remove({ folder, name }) {
      const [size, removed] = [await shared.size(), await measure(folder, name)];
      await tracked(removeTree(folder, name));
      shrink(size, removed);
    },
    async move(source, target) {
      await places.refuseTwin(target, source.within === target.within ? source.name : undefined);
      const size = await shared.size();
      // A file that is moved to its own path replaces nothing.
      const isSame = source.path === target.path;
      const replaced = isSame ? { bytes: 0, files: 0 } : await measure(target.folder, target.name);
      await rename(join(source.folder, source.name), join(target.folder, target.name));
      shrink(size, replaced);
    },
  };
}

/** The steps that changes consist of. Each keeps the size of the workspace. */
function stepsOf({ shared, quota, space }: ChangesOptions) {
  /** Runs a change. If it fails, it may have happened in part, so the size is measured again. */
  const tracked = async <T>(change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } catch (error) {
      shared.forget();
      throw error;
    }
  };
  const grow = async (change: Size, own = quota): Promise<void> => {
    const size = await shared.size();
    reserve(size, change, own);
    await space?.take(spaceOf(change)).catch((error: unknown) => {
      size.bytes -= change.bytes;
      size.files -= change.files;
      throw error;
    });
  };
  const shrink = (size: Size, removed: Size): void => {
    size.bytes -= removed.bytes;
    size.files -= removed.files;
    space?.add(-spaceOf(removed));
  };
  const added = (place: Place) => shared.names.add(place.within, place.folder, [place.name]);
  return { tracked, grow, shrink, added };
}

/** The changes of many files, and of files that were staged before. */
function batchChanges(
  { places, shared, quota }: ChangesOptions,
  { tracked, grow, shrink, added }: ReturnType<typeof stepsOf>,
): BatchChanges {
  return {
    async removeAll(removed) {
      const size = await shared.size();
      for (const { folder, name } of removed) {
        const path = join(folder, name);
        const found = lstatSync(path, { throwIfNoEntry: false });
        const own = found?.isDirectory()
          ? await measure(folder, name)
          : { bytes: found?.size ?? 0, files: found ? 1 : 0 };
        if (found?.isDirectory()) await tracked(removeTree(folder, name));
        else if (found) unlinkSync(path);
        shrink(size, own);
      }
    },
    async checkSize({ folder, name }, bytes) {
      const before = await look(folder, name);
      const change = { bytes: bytes - (before?.size ?? 0), files: before ? 0 : 1 };
      reserve({ ...(await shared.size()) }, change, quota);
    },
    async adopt(place, staged) {
      const { folder, name, path } = place;
      const before = await look(folder, name);
      checkIsFile(before, path);
      if (!before) await places.refuseTwin(place);
      const { size } = await stat(staged);
      await grow({ bytes: size - (before?.size ?? 0), files: before ? 0 : 1 });
      await tracked(rename(staged, join(folder, name)));
      if (!before) await added(place);
    },
    async reserveAll(files) {
      const change = { bytes: 0, files: 0 };
      if (new Set(files.map(({ place }) => foldName(place.name))).size < files.length) return undefined;
      const modes: (number | undefined)[] = [];
      const fresh: Place[] = [];
      try {
        for (const { place, data } of files) {
          const before = lstatSync(join(place.folder, place.name), { throwIfNoEntry: false });
          checkIsFile(before, place.path);
          if (!before) fresh.push(place);
          modes.push(before && before.mode & 0o777);
          change.bytes += data.length - (before?.size ?? 0);
          change.files += before ? 0 : 1;
        }
        await places.refuseTwins(fresh);
        await grow(change);
        return modes;
      } catch {
        return undefined;
      }
    },
    async named(written) {
      const [first] = written;
      if (first)
        await shared.names.add(
          first.within,
          first.folder,
          written.map(({ name }) => name),
        );
    },
  };
}

/** Reads a regular file. Raises `EFBIG` when it has more than `maxBytes`. */
export async function readWhole({ folder, name, path }: Place, maxBytes: number): Promise<Buffer> {
  const { descriptor, size } = openNow(join(folder, name), path);
  try {
    if (size > maxBytes) throw tooLarge(path, size, maxBytes);
    return size > MAX_SHORT_BYTES ? await readLater(descriptor) : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the error of a file that is too large to be read at once. */
export function tooLarge(path: string, size: number, maxBytes: number): Error {
  const fix = 'Read it in parts: with fs.createReadStream(path) or open(path).';
  return fileError('EFBIG', `${path} has ${size} bytes; the limit for one read is ${maxBytes}. ${fix}`);
}

/** Appends in place, without a copy: another process may create the file, or append to it, at the same time. */
async function appendTo(hostPath: string, path: string, data: Buffer, durable: boolean): Promise<void> {
  const file = await openFile(hostPath, path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  try {
    await file.writeFile(data);
    if (durable) await file.datasync();
  } finally {
    await file.close();
  }
}

export function checkIsFile(found: Stats | undefined, path: string): void {
  if (!found || found.isFile()) return;
  if (found.isSymbolicLink()) throw fileError('ELOOP', `${path} is a symbolic link.`);
  throw fileError('EISDIR', `${path} is not a file.`);
}
