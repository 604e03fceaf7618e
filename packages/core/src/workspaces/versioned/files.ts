import type { Files, ReadableFiles } from '../files.ts';
import type { Workspace } from '../workspace.ts';
import type { FolderUse } from './folder-use.ts';

/** Returns a workspace whose operations are those of a use of its folder. `destroy` does not commit anything. */
export function usedWorkspace(workspace: Workspace, use: FolderUse): Workspace {
  const { change, read } = use;
  const changes = changesOf(workspace, change);
  return {
    root: workspace.root,
    read: (path, maxBytes) => read(() => workspace.read(path, maxBytes)),
    list: (path, recursive) => read(() => workspace.list(path, recursive)),
    stat: (path) => read(() => workspace.stat(path)),
    ...changes,
    bulk: {
      readRange: (...range) => read(() => workspace.bulk.readRange(...range)),
      readAll: (...paths) => read(() => workspace.bulk.readAll(...paths)),
      ...changes.bulk,
    },
    keep: (folder, name, data) => change(() => workspace.keep(folder, name, data)),
    async destroy() {
      await use.discard();
      await workspace.destroy();
    },
  };
}

/** Returns files whose changes each begin and end a use, so that each is committed when it resolves. */
export function committedFiles(reading: ReadableFiles, workspace: Workspace, begin: () => FolderUse): Files {
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    const use = begin();
    try {
      return await use.change(work);
    } finally {
      await use.end();
    }
  };
  const changes = changesOf(workspace, change);
  return {
    ...reading,
    ...changes,
    bulk: {
      readRange: (...range) => (reading.bulk ?? workspace.bulk).readRange(...range),
      readAll: (...paths) => (reading.bulk ?? workspace.bulk).readAll(...paths),
      ...changes.bulk,
    },
  };
}

/** Returns the operations of a workspace that change it, each as a part of the work of `change`. */
function changesOf(workspace: Workspace, change: FolderUse['change']) {
  return {
    write: (path, data, mode) => change(() => workspace.write(path, data, mode)),
    makeFolder: (path, recursive) => change(() => workspace.makeFolder(path, recursive)),
    remove: (path, options) => change(() => workspace.remove(path, options)),
    removeFolder: (path) => change(() => workspace.removeFolder(path)),
    rename: (from, to) => change(() => workspace.rename(from, to)),
    bulk: {
      writeAll: (files) => change(() => workspace.bulk.writeAll(files)),
      removeAll: (paths) => change(() => workspace.bulk.removeAll(paths)),
      stage: workspace.bulk.stage,
      commit: (...file) => change(() => workspace.bulk.commit(...file)),
    },
  } satisfies Partial<Omit<Files, 'bulk'>> & { bulk: Partial<Workspace['bulk']> };
}
