import { constants, type Stats } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from './atomic-write.ts';
import { diskName } from './file-names.ts';
import type { Files } from './files.ts';
import { inFolder } from './no-follow.ts';
import { fileError, guestPath, openFile, parseGuestPath, toFileError } from './paths.ts';
import { type Quota, reserve, shareWorkspace, stagingOf, type WorkspaceUse } from './shared-state.ts';
import { entryOf, listAll, look, measure, removeTree } from './tree.ts';

/**
 * Files in one folder of the host, which a guest sees under one name. A file that is written anew is old or new, never
 * half; what is appended comes after what was there. Errors beside those of {@link Files}: `WORKSPACE_FULL`.
 */
export interface Workspace extends Files {
  /** The folder on the host. */
  readonly root: string;
  /** Deletes everything. */
  destroy(): Promise<void>;
}

export interface WorkspaceOptions extends Quota {
  /** Made when it is needed. */
  readonly root: string;
  /** What the guest calls the folder: `workspace` for `/workspace`, the default. */
  readonly mount?: string;
  /** Set when the folder is in use already. */
  readonly use?: WorkspaceUse;
  /** Whether a file that was written survives a loss of power too; default false. */
  readonly durable?: boolean;
}

/** A place in the workspace: `name` in the host's folder `folder`. */
interface Place {
  readonly folder: string;
  readonly name: string;
  /** The folder's guest path, and the whole one. */
  readonly within: string;
  readonly path: string;
}

/** Opens the workspace in a folder of the host. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { root, mount = 'workspace', durable = false } = options;
  const { use = shareWorkspace(root) } = options;

  const partsOf = (path: string): string[] => {
    const [first = '', ...rest] = parseGuestPath(path);
    if (first !== mount) throw fileError('EACCES', `${guestPath([first, ...rest])} is outside of /${mount}.`);
    return [first, ...rest.map(diskName)];
  };
  /** Opens the folder that a path lies in. */
  const at = async <T>(path: string, work: (place: Place) => Promise<T>): Promise<T> => {
    const parts = partsOf(path);
    const name = parts.at(-1) ?? '';
    if (parts.length === 1) throw fileError('EISDIR', `${guestPath(parts)} is a folder.`);
    await use.prepare();
    const within = parts.slice(0, -1);
    return inFolder(root, within, (folder) =>
      work({ folder, name, within: guestPath(within), path: guestPath(parts) }),
    ).catch((error) => {
      throw toFileError(error, guestPath(parts));
    });
  };
  const refuseTwin = async ({ folder, name, within, path }: Place, own?: string): Promise<void> => {
    const twin = await use.names.twin(within, folder, name);
    if (twin === undefined || twin === name || twin === own) return;
    throw fileError(
      'EEXIST',
      `${path} differs too little from ${JSON.stringify(twin)}, which is there. Use that name.`,
    );
  };

  const replace = async (place: Place, data: Buffer): Promise<void> => {
    const { folder, name, within, path } = place;
    const before = await look(folder, name);
    checkIsFile(before, path);
    if (!before) await refuseTwin(place);
    reserve(await use.size(), { bytes: data.length - (before?.size ?? 0), files: before ? 0 : 1 }, options);
    const mode = before ? before.mode & 0o777 : 0o600;
    await replaceFile(join(folder, name), use.stage(), data, { mode, durable }).catch((error) => {
      use.forget();
      throw error;
    });
    if (!before) await use.names.add(within, folder, name);
  };
  const append = async (place: Place, data: Buffer): Promise<void> => {
    const { folder, name, within, path } = place;
    const before = await look(folder, name);
    if (!before) await refuseTwin(place);
    // What is linked from elsewhere is not ours alone: it gets a copy of its own.
    if (before && before.nlink > 1) return replace(place, Buffer.concat([await readWhole(place, before.size), data]));
    reserve(await use.size(), { bytes: data.length, files: before ? 0 : 1 }, options);
    // A file that is not there is made in place: another process may make it, and append to it, at this moment.
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
    try {
      const file = await openFile(join(folder, name), path, flags);
      try {
        await file.writeFile(data);
        if (durable) await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      use.forget();
      throw error;
    }
    if (!before) await use.names.add(within, folder, name);
  };
  const makeOne = async (path: string, isFine: boolean): Promise<void> =>
    at(path, async (place) => {
      const found = await look(place.folder, place.name);
      if (found && !(isFine && found.isDirectory())) throw fileError('EEXIST', `${place.path} is there already.`);
      if (found) return;
      await refuseTwin(place);
      reserve(await use.size(), { bytes: 0, files: 1 }, options);
      await mkdir(join(place.folder, place.name), 0o700).catch((error) => {
        use.forget();
        throw error;
      });
      await use.names.add(place.within, place.folder, place.name);
    });
  const remove = async ({ folder, name }: Place): Promise<void> => {
    const [size, removed] = [await use.size(), await measure(folder, name)];
    await removeTree(folder, name).catch((error) => {
      use.forget();
      throw error;
    });
    size.bytes -= removed.bytes;
    size.files -= removed.files;
  };
  const move = async (source: Place, target: Place): Promise<void> => {
    const isSame = source.path === target.path;
    await refuseTwin(target, source.within === target.within ? source.name : undefined);
    const size = await use.size();
    // A file that takes its own place frees nothing.
    const replaced = isSame ? { bytes: 0, files: 0 } : await measure(target.folder, target.name);
    await rename(join(source.folder, source.name), join(target.folder, target.name));
    size.bytes -= replaced.bytes;
    size.files -= replaced.files;
  };

  return {
    root,
    read: (path, maxBytes) => at(path, (place) => readWhole(place, maxBytes)),
    write: (path, data, mode) =>
      use.inTurn(() => at(path, (place) => (mode === 'append' ? append(place, data) : replace(place, data)))),
    async list(path, recursive) {
      const parts = partsOf(path);
      await use.prepare();
      const entries = await inFolder(root, parts, (folder) => listAll(folder, recursive)).catch((error) => {
        throw toFileError(error, guestPath(parts));
      });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path) {
      const parts = partsOf(path);
      await use.prepare();
      const found =
        parts.length === 1
          ? await look(dirname(root), basename(root))
          : await at(path, ({ folder, name }) => look(folder, name));
      const entry = entryOf(found, parts.at(-1) ?? '');
      if (!entry) throw fileError('ENOENT', `there is no ${guestPath(parts)}.`);
      return entry;
    },
    makeFolder: (path, recursive) =>
      use.inTurn(async () => {
        const parts = partsOf(path);
        if (parts.length === 1 && !recursive) throw fileError('EEXIST', `${guestPath(parts)} is there already.`);
        for (let length = recursive ? 2 : parts.length; length <= parts.length; length++) {
          await makeOne(guestPath(parts.slice(0, length)), recursive);
        }
      }),
    remove: (path, { recursive, force }) =>
      use.inTurn(() =>
        at(path, async (place) => {
          const found = await look(place.folder, place.name);
          if (!found && force) return;
          if (!found) throw fileError('ENOENT', `there is no ${place.path}.`);
          if (found.isDirectory() && !recursive) {
            throw fileError('EISDIR', `${place.path} is a folder; pass {recursive: true}.`);
          }
          await remove(place);
        }),
      ),
    removeFolder: (path) =>
      use.inTurn(() =>
        at(path, async (place) => {
          const size = await use.size();
          await rmdir(join(place.folder, place.name));
          size.files -= 1;
        }),
      ),
    rename: (from, to) => use.inTurn(() => at(from, (source) => at(to, (target) => move(source, target)))),
    destroy: () =>
      use.inTurn(async () => {
        use.forget();
        await removeTree(dirname(root), basename(root));
        await rm(stagingOf(root), { recursive: true, force: true });
      }),
  };
}

function checkIsFile(found: Stats | undefined, path: string): void {
  if (!found || found.isFile()) return;
  if (found.isSymbolicLink()) throw fileError('ELOOP', `${path} is a link.`);
  throw fileError('EISDIR', `${path} is not a file.`);
}

async function readWhole({ folder, name, path }: Place, maxBytes: number): Promise<Buffer> {
  const file = await openFile(join(folder, name), path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw fileError('EFBIG', `${path} has ${size} bytes, at most ${maxBytes} can be read.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
