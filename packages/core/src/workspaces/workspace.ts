import { lstatSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bulkFiles } from './changes/bulk-files.ts';
import { changesOf, readWhole } from './changes/changes.ts';
import type { BulkFiles, Files } from './files.ts';
import { inFolder } from './no-follow.ts';
import { fileError, guestPath, toFileError } from './paths.ts';
import { placesIn } from './places.ts';
import {
  type DiskSpace,
  type Quota,
  type SharedWorkspace,
  shareWorkspace,
  spaceOf,
  stagingOf,
} from './shared-state.ts';
import { entryOf, listAll, look, removeTree } from './tree.ts';

/**
 * The files in one folder of the host, which a guest sees below one name. Writes are atomic: a reader sees the old or the
 * new content. Appended data follows the existing data. Raises `WORKSPACE_FULL` and the errors of {@link Files}.
 */
export interface Workspace extends Files {
  /** The folder on the host. */
  readonly root: string;
  readonly bulk: BulkFiles;
  /** Writes a result into a folder of the workspace. Results have a reserve beyond the quota, so that a full workspace loses none. */
  keep(folder: string, name: string, data: Buffer): Promise<void>;
  /** Deletes the folder and everything in it. */
  destroy(): Promise<void>;
}

export interface WorkspaceOptions extends Quota {
  /** The folder on the host. It is created when it is first used. */
  readonly root: string;
  /** The name of the folder for the guest: `workspace` for `/workspace`, the default. */
  readonly mount?: string;
  /** The state that all users of the same folder in this process share. Default: a new one. */
  readonly shared?: SharedWorkspace;
  /** The space of the user who writes. Default: without a limit. */
  readonly space?: DiskSpace | undefined;
  /** Whether a written file survives a power cut too. Default: false. */
  readonly durable?: boolean;
}

const RESERVE: Quota = { workspaceBytes: 64 * 1024 * 1024, workspaceFiles: 1_000 };

function withReserve({ workspaceBytes, workspaceFiles }: Quota): Quota {
  return {
    workspaceBytes: workspaceBytes + RESERVE.workspaceBytes,
    workspaceFiles: workspaceFiles + RESERVE.workspaceFiles,
  };
}

/** Most executions write no file. A look that waits for no thread takes a tenth of the time. */
const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Opens the workspace in a folder of the host. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { root, mount = 'workspace', space, durable = false } = options;
  const { shared = shareWorkspace(root) } = options;
  const places = placesIn(root, mount, shared);
  const changes = changesOf({ places, shared, quota: options, space, durable });
  const { partsOf, at } = places;
  const { inTurn } = shared;

  return {
    root,
    read: (path, maxBytes) => at(path, (place) => readWhole(place, maxBytes)),
    write: (path, data, mode) =>
      inTurn(() =>
        at(path, (place) => (mode === 'append' ? changes.append(place, data) : changes.replace(place, data))),
      ),
    async list(path, recursive) {
      const parts = partsOf(path);
      await shared.prepare();
      const entries = await inFolder(root, parts, (folder) => listAll(folder, recursive)).catch((error) => {
        throw toFileError(error, guestPath(parts));
      });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path) {
      const parts = partsOf(path);
      await shared.prepare();
      const found =
        parts.length === 1
          ? await look(dirname(root), basename(root))
          : await at(path, ({ folder, name }) => look(folder, name));
      const entry = entryOf(found, parts.at(-1) ?? '');
      if (!entry) throw fileError('ENOENT', `${guestPath(parts)} does not exist.`);
      return entry;
    },
    makeFolder: (path, recursive) =>
      inTurn(async () => {
        const parts = partsOf(path);
        if (parts.length === 1 && !recursive) throw fileError('EEXIST', `${guestPath(parts)} already exists.`);
        for (let length = recursive ? 2 : parts.length; length <= parts.length; length++) {
          await at(guestPath(parts.slice(0, length)), (place) => changes.makeFolder(place, recursive));
        }
      }),
    remove: (path, { recursive, force }) =>
      inTurn(() =>
        at(path, async (place) => {
          const found = await look(place.folder, place.name);
          if (!found && force) return;
          if (!found) throw fileError('ENOENT', `${place.path} does not exist.`);
          if (found.isDirectory() && !recursive) {
            throw fileError('EISDIR', `${place.path} is a folder. Pass {recursive: true} to remove it.`);
          }
          await changes.remove(place);
        }),
      ),
    removeFolder: (path) =>
      inTurn(() =>
        at(path, async (place) => {
          const size = await shared.size();
          await rmdir(join(place.folder, place.name));
          size.files -= 1;
          space?.add(-spaceOf({ bytes: 0, files: 1 }));
        }),
      ),
    rename: (from, to) => inTurn(() => at(from, (source) => at(to, (target) => changes.move(source, target)))),
    keep: (folder, name, data) =>
      inTurn(async () => {
        const own = withReserve(options);
        await at(folder, (place) => changes.makeFolder(place, true, own));
        await at(`${folder}/${name}`, (place) => changes.replace(place, data, own));
      }),
    bulk: bulkFiles({ root, places, shared, changes, durable }),
    destroy: () =>
      inTurn(async () => {
        shared.forget();
        if (exists(root)) await removeTree(dirname(root), basename(root));
        const staging = stagingOf(root);
        if (exists(staging)) await rm(staging, { recursive: true, force: true });
      }),
  };
}
