import type { BulkFiles, FileEntry, Files, ReadableFiles } from './files.ts';
import { folderEntry } from './mounts.ts';
import { fileError, guestPath, parseGuestPath, unlessMissing } from './paths.ts';

/** A writable view of read-only files: see {@link overlayFiles}. */
export interface Overlay extends Files {
  /** Returns the top-level names with changes. */
  changed(): readonly string[];
}

/**
 * Creates a writable view of `lower`. Before the first change below a top-level name, everything below that name is copied
 * to `upper`. Both trees have the same first part of the path, `mount`. `maxBytes` limits the size of a copied file.
 */
export function overlayFiles(lower: ReadableFiles, upper: Files, mount: string, maxBytes: number): Overlay {
  const copies = new Map<string, Promise<void>>();

  const copy = async (name: string): Promise<void> => {
    const path = guestPath([mount, name]);
    const found = await lower.stat(path).catch(() => undefined);
    if (found?.kind === 'file') await upper.write(path, await lower.read(path, maxBytes), 'replace');
    if (found?.kind !== 'directory') return;
    await upper.makeFolder(path, true);
    const entries = await lower.list(path, true);
    for (const { name: inner, kind } of entries.sort((a, b) => a.name.length - b.name.length)) {
      const target = `${path}/${inner}`;
      if (kind === 'directory') await upper.makeFolder(target, true);
      else await upper.write(target, await lower.read(target, maxBytes), 'replace');
    }
  };
  /** Returns the tree that contains a path now. */
  const treeOf = async (path: string): Promise<ReadableFiles> => {
    const [, name = ''] = parseGuestPath(path);
    await copies.get(name);
    return copies.has(name) ? upper : lower;
  };
  const prepare = async (path: string): Promise<void> => {
    const [, name] = parseGuestPath(path);
    if (name === undefined) throw fileError('EISDIR', `/${mount} is a folder.`);
    if (!copies.has(name)) copies.set(name, copy(name));
    await copies.get(name);
  };

  return {
    changed: () => [...copies.keys()].sort(),
    read: async (path, max) => (await treeOf(path)).read(path, max),
    async list(path, recursive) {
      if (parseGuestPath(path).length > 1) return (await treeOf(path)).list(path, recursive);
      if (copies.size === 0) return lower.list(path, recursive);
      const isUnchanged = ({ name }: FileEntry) => !copies.has(name.split('/')[0] ?? '');
      await Promise.all(copies.values());
      const entries = [
        ...(await lower.list(path, recursive)).filter(isUnchanged),
        ...(await upper.list(path, recursive)),
      ];
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path) {
      return parseGuestPath(path).length > 1 ? (await treeOf(path)).stat(path) : folderEntry(mount);
    },
    async write(path, data, mode) {
      await prepare(path);
      await upper.write(path, data, mode);
    },
    async makeFolder(path, recursive) {
      if (recursive && parseGuestPath(path).length === 1) return;
      await prepare(path);
      await upper.makeFolder(path, recursive);
    },
    async remove(path, options) {
      await prepare(path);
      await upper.remove(path, options);
    },
    async removeFolder(path) {
      await prepare(path);
      await upper.removeFolder(path);
    },
    async rename(from, to) {
      await prepare(from);
      await prepare(to);
      await upper.rename(from, to);
    },
    bulk: upper.bulk && bulkOverlay(upper.bulk, { treeOf, prepare, maxBytes }),
  };
}

interface OverlaySteps {
  readonly treeOf: (path: string) => Promise<ReadableFiles>;
  readonly prepare: (path: string) => Promise<void>;
  readonly maxBytes: number;
}

/** Returns the operations for large and many files of an overlay. */
function bulkOverlay(upper: BulkFiles, { treeOf, prepare, maxBytes }: OverlaySteps): BulkFiles {
  return {
    ...upper,
    async readRange(path, offset, length) {
      const { bulk } = await treeOf(path);
      if (bulk) return bulk.readRange(path, offset, length);
      return (await (await treeOf(path)).read(path, maxBytes)).subarray(offset, offset + length);
    },
    readAll: (paths, max) =>
      Promise.all(paths.map(async (path) => (await treeOf(path)).read(path, max).catch(unlessMissing))),
    async writeAll(files) {
      for (const { path } of files) await prepare(path);
      return upper.writeAll(files);
    },
    async removeAll(paths) {
      for (const path of paths) await prepare(path);
      await upper.removeAll(paths);
    },
    async stage(owner, path, ...part) {
      await prepare(path);
      await upper.stage(owner, path, ...part);
    },
  };
}
