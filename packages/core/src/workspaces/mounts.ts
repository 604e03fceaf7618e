import type { FileEntry, Files, ReadableFiles } from './files.ts';
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
  };
}

/** Wraps files and rejects every change with `EACCES`. `reason` completes the message "… cannot be changed: ". */
export function readOnly(files: ReadableFiles, reason: string): Files {
  const refuse = async (path: string): Promise<never> => {
    throw fileError('EACCES', `${guestPath(parseGuestPath(path))} cannot be changed: ${reason}`);
  };
  return {
    ...files,
    write: refuse,
    makeFolder: refuse,
    remove: refuse,
    removeFolder: refuse,
    rename: refuse,
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
