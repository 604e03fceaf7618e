import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BulkFiles, FileEntry, WrittenFile } from '../files.ts';
import { fileError, isMissing, openFile, openNow, toFileError } from '../paths.ts';
import type { Place, Places } from '../places.ts';
import { type SharedWorkspace, stagingOf } from '../shared-state.ts';
import { convertFile } from '../text-parts.ts';
import { entryOf, look } from '../tree.ts';
import { type Changes, tooLarge } from './changes.ts';

export interface BulkOptions {
  readonly root: string;
  readonly places: Places;
  readonly shared: SharedWorkspace;
  readonly changes: Changes;
  /** Whether a write waits for the disk. */
  readonly durable: boolean;
}

/** Files that are written without a pause for other work of the process: a few milliseconds. */
const SLICE = 128;
const NEW_FILE_MODE = 0o600;
const datasync = promisify(fdatasync);
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Creates the operations for large and many files of one workspace. */
export function bulkFiles(options: BulkOptions): BulkFiles {
  const { places, shared, root } = options;
  const unfinished = (owner: string, path: string) => {
    const name = createHash('sha256')
      .update(JSON.stringify([owner, places.partsOf(path)]))
      .digest('hex');
    return join(stagingOf(root), name);
  };
  return {
    readRange: (path, offset, length) =>
      places.at(path, async (place) => {
        const file = await openFile(join(place.folder, place.name), place.path, O_RDONLY);
        try {
          const data = Buffer.allocUnsafe(Math.max(0, Math.min(length, (await file.stat()).size - offset)));
          const { bytesRead } = await file.read(data, 0, data.length, offset);
          return data.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      }),
    readAll: (paths, maxBytes) => readAll(paths, maxBytes, places),
    writeAll: (files) => shared.inTurn(() => writeAll(files, options)),
    removeAll: (paths) => shared.inTurn(() => removeAll(paths, options)),
    async stage(owner, path, offset, data, size) {
      await shared.prepare();
      if (offset === 0) await places.at(path, (place) => options.changes.checkSize(place, size));
      await addTo(unfinished(owner, path), offset, data).catch((error) => {
        throw toFileError(error, path);
      });
    },
    async commit(owner, path, size, convert) {
      const staged = unfinished(owner, path);
      try {
        const stored = convert ? await convertFile(staged, shared.stage, convert) : staged;
        if (lstatSync(staged).size !== size)
          throw fileError('EIO', `${path} was not transferred completely. Write it again.`);
        return await shared.inTurn(() =>
          places.at(path, async (place) => {
            await options.changes.adopt(place, stored);
            return entryAt(place, await look(place.folder, place.name));
          }),
        );
      } finally {
        await rm(staged, { force: true });
      }
    },
  };
}

async function addTo(staged: string, offset: number, data: Buffer): Promise<void> {
  const flags = O_WRONLY | O_NOFOLLOW | (offset === 0 ? O_CREAT | O_TRUNC : 0);
  const file = await open(staged, flags, 0o600).catch(() => undefined);
  try {
    if (!file || (await file.stat()).size !== offset) {
      throw fileError('EIO', 'the transfer of a file was interrupted. Write it again.');
    }
    for (let at = 0; at < data.length; ) at += (await file.write(data, at, data.length - at, offset + at)).bytesWritten;
  } finally {
    await file?.close();
  }
}

async function writeAll(files: readonly WrittenFile[], options: BulkOptions): Promise<FileEntry[]> {
  const { places } = options;
  const entries = new Map<string, FileEntry>();
  let problem: unknown;
  for (const group of byFolder(files, places)) {
    try {
      await places.at(group[0]?.path ?? '', async ({ folder, within }) => {
        for (let start = 0; start < group.length; start += SLICE) {
          const slice = group.slice(start, start + SLICE).map(({ path, data }) => {
            const name = places.partsOf(path).at(-1) ?? '';
            return { place: { folder, name, within, path }, data };
          });
          await writeSlice(slice, options, entries).catch((error: unknown) => {
            problem ??= error;
          });
          await nextTurn();
        }
      });
    } catch (error) {
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  return files.map(({ path }) => entries.get(path) ?? { name: path, kind: 'file', size: 0, mtimeMs: 0 });
}

/** Removes files and folders. Those that do not exist count as removed. */
async function removeAll(paths: readonly string[], { places, changes }: BulkOptions): Promise<void> {
  for (const group of byFolder(
    paths.map((path) => ({ path })),
    places,
  )) {
    await places
      .at(group[0]?.path ?? '', async ({ folder, within }) => {
        for (let start = 0; start < group.length; start += SLICE) {
          const slice = group.slice(start, start + SLICE);
          await changes.removeAll(
            slice.map(({ path }) => ({ folder, name: places.partsOf(path).at(-1) ?? '', within, path })),
          );
          await nextTurn();
        }
      })
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
  }
}

/** Reads small files, each folder at once. */
async function readAll(paths: readonly string[], maxBytes: number, places: Places): Promise<(Buffer | undefined)[]> {
  const contents = new Map<string, Buffer | undefined>();
  for (const group of byFolder(
    paths.map((path) => ({ path })),
    places,
  )) {
    await places
      .at(group[0]?.path ?? '', async ({ folder }) => {
        for (const [index, { path }] of group.entries()) {
          contents.set(path, readNow(folder, path, places, maxBytes));
          if (index % SLICE === SLICE - 1) await nextTurn();
        }
      })
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
  }
  return paths.map((path) => contents.get(path));
}

/** Returns the content of a file, without a thread; undefined for one that does not exist any more. */
function readNow(folder: string, path: string, { partsOf }: Places, maxBytes: number): Buffer | undefined {
  let file: ReturnType<typeof openNow> | undefined;
  try {
    file = openNow(join(folder, partsOf(path).at(-1) ?? ''), path);
    if (file.size > maxBytes) throw tooLarge(path, file.size, maxBytes);
    return readFileSync(file.descriptor);
  } catch (error) {
    const known = toFileError(error, path);
    if (isMissing(known)) return undefined;
    throw known;
  } finally {
    if (file !== undefined) closeSync(file.descriptor);
  }
}

/** Returns the files by their folder. A file with an impossible path is alone. */
function byFolder<T extends { readonly path: string }>(files: readonly T[], { partsOf }: Places): T[][] {
  const groups = new Map<string, T[]>();
  for (const file of files) {
    let key = `?${groups.size}`;
    try {
      key = partsOf(file.path).slice(0, -1).join('/');
    } catch {
      // Writing it raises the error.
    }
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return [...groups.values()];
}

interface PlacedFile {
  readonly place: Place;
  readonly data: Buffer;
}

interface StagedFile extends PlacedFile {
  readonly staged: string;
  readonly mode: number;
  descriptor: number;
  isMoved: boolean;
}

/** Writes files of one folder. Each fails by itself. */
async function writeSlice(
  files: readonly PlacedFile[],
  { changes, shared, durable }: BulkOptions,
  entries: Map<string, FileEntry>,
): Promise<void> {
  let problem: unknown;
  const attempt = async (place: Place, work: () => Stats | undefined | Promise<Stats | undefined>) => {
    try {
      entries.set(place.path, entryAt(place, await work()));
    } catch (error) {
      problem ??= toFileError(error, place.path);
    }
  };
  const reserved = await changes.reserveAll(files);
  if (reserved) {
    const staged = files.map((file, index) => ({
      ...{ ...file, staged: shared.stage(), descriptor: -1, isMoved: false },
      mode: reserved[index] ?? NEW_FILE_MODE,
    }));
    try {
      for (const file of staged) file.descriptor = stageNow(file);
      // At once: the disk then waits once for several files.
      if (durable) await Promise.all(staged.map(({ descriptor }) => datasync(descriptor)));
      for (const file of staged) await attempt(file.place, () => moveNow(file));
    } catch (error) {
      problem ??= toFileError(error, files[0]?.place.path ?? '/workspace');
    } finally {
      for (const { descriptor, isMoved, staged: path } of staged) {
        if (descriptor >= 0) closeSync(descriptor);
        if (!isMoved) rmSync(path, { force: true });
      }
    }
    await changes.named(files.map(({ place }) => place));
    if (problem !== undefined) shared.forget();
  } else {
    for (const { place, data } of files) {
      await attempt(place, async () => {
        await changes.replace(place, data);
        return statOf(place);
      });
    }
  }
  if (problem !== undefined) throw problem;
}

/** Writes a staged file without a thread, which takes a tenth of the time. Returns its descriptor. */
function stageNow({ data, staged, mode }: StagedFile): number {
  const file = openSync(staged, 'wx', mode);
  for (let written = 0; written < data.length; ) written += writeSync(file, data, written);
  return file;
}

function moveNow(file: StagedFile): Stats {
  const { place, staged, descriptor } = file;
  renameSync(staged, join(place.folder, place.name));
  file.isMoved = true;
  return fstatSync(descriptor);
}

function statOf({ folder, name }: Place): Stats | undefined {
  return lstatSync(join(folder, name), { throwIfNoEntry: false });
}

function entryAt({ path }: Place, found: Stats | undefined): FileEntry {
  const entry = entryOf(found, path);
  if (!entry) throw fileError('ENOENT', `${path} was removed meanwhile.`);
  return entry;
}
