import type { BulkFiles, FileEntry, Files, ReadableFiles } from './files.ts';
import { fileError, guestPath, parseGuestPath } from './paths.ts';

/** Combines several trees of files: the first part of a path selects the tree. Rejects all other paths with `EACCES`. */
export function mountFiles(mounts: Readonly<Record<string, Files>>): Files {
  const names = Object.keys(mounts).sort();
  const find = (path: string): { files: Files; path: string } => {
    const parts = parseGuestPath(path);
    const name = parts[0] ?? '';
    const files = Object.hasOwn(mounts, name) ? mounts[name] : undefined;
    if (files) return { files, path: guestPath(parts) };
    const known = names.map((known) => `/${known}`).join(', ');
    throw fileError('EACCES', `${guestPath(parts)} is outside of ${known}.`);
  };
  const bulkOf = (path: string): BulkFiles => {
    const { files, path: own } = find(path);
    if (files.bulk) return files.bulk;
    throw fileError('EACCES', `${own} is not in /workspace: its folder has small files only.`);
  };
  return {
    read: async (path, maxBytes) => {
      const { files, path: own } = find(path);
      return files.read(own, maxBytes);
    },
    write: async (path, data, mode) => {
      const { files, path: own } = find(path);
      return files.write(own, data, mode);
    },
    async list(path, recursive) {
      if (parseGuestPath(path).length > 0) {
        const { files, path: own } = find(path);
        return files.list(own, recursive);
      }
      return names.map(folderEntry);
    },
    async stat(path) {
      if (parseGuestPath(path).length === 0) return folderEntry('/');
      const { files, path: own } = find(path);
      return files.stat(own);
    },
    makeFolder: async (path, recursive) => {
      const { files, path: own } = find(path);
      return files.makeFolder(own, recursive);
    },
    remove: async (path, options) => {
      const { files, path: own } = find(path);
      return files.remove(own, options);
    },
    removeFolder: async (path) => {
      const { files, path: own } = find(path);
      return files.removeFolder(own);
    },
    async rename(from, to) {
      const source = find(from);
      const target = find(to);
      if (source.files === target.files) return source.files.rename(source.path, target.path);
      throw fileError(
        'EXDEV',
        `${source.path} and ${target.path} are on different file systems. Copy the file, then remove the original.`,
      );
    },
    bulk: {
      readRange: async (path, offset, length) => bulkOf(path).readRange(path, offset, length),
      readAll: async (paths, maxBytes) => {
        const [first] = paths;
        return first === undefined ? [] : bulkOf(first).readAll(paths, maxBytes);
      },
      writeAll: async (files) => {
        const [first] = files;
        return first === undefined ? [] : bulkOf(first.path).writeAll(files);
      },
      removeAll: async (paths) => {
        const [first] = paths;
        if (first !== undefined) await bulkOf(first).removeAll(paths);
      },
      stage: async (owner, path, ...part) => bulkOf(path).stage(owner, path, ...part),
      commit: async (owner, path, ...end) => bulkOf(path).commit(owner, path, ...end),
    },
  };
}

/** Wraps files and rejects every change with `EACCES`. `reason` completes the message "… cannot be changed: ". */
export function readOnly(files: ReadableFiles, reason: string): Files {
  const refuse = refusal(reason);
  return {
    ...files,
    write: refuse,
    makeFolder: refuse,
    remove: refuse,
    removeFolder: refuse,
    rename: refuse,
    bulk: files.bulk && readOnlyBulk(files.bulk, reason),
  };
}

/** Wraps the operations for large and many files like {@link readOnly}. */
export function readOnlyBulk({ readRange, readAll }: BulkFiles, reason: string): BulkFiles {
  const refuse = refusal(reason);
  return {
    readRange,
    readAll,
    writeAll: ([file]) => refuse(file?.path ?? '/'),
    removeAll: ([path = '/']) => refuse(path),
    stage: (_owner, path) => refuse(path),
    commit: (_owner, path) => refuse(path),
  };
}

function refusal(reason: string): (path: string) => Promise<never> {
  return async (path) => {
    throw fileError('EACCES', `${guestPath(parseGuestPath(path))} cannot be changed: ${reason}`);
  };
}

/** Returns the entry of a generated folder. */
export function folderEntry(name: string): FileEntry {
  return { name, kind: 'directory', size: 0, mtimeMs: 0 };
}

/** Returns the entry of a generated file. */
export function fileEntry(name: string, size = 0): FileEntry {
  return { name, kind: 'file', size, mtimeMs: 0 };
}
