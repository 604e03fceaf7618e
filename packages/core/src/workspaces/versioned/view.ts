import { diskName } from '../file-names.ts';
import type { FileEntry, ReadableFiles } from '../files.ts';
import { folderEntry } from '../mounts.ts';
import { fileError, guestPath, parseGuestPath } from '../paths.ts';
import type { FileVersion, Manifest, ManifestEntry } from './manifest.ts';

/** Maximum entries of one listing. */
const MAX_LISTED = 10_000;
const MOUNT = 'workspace';

/** The newest version of a folder. */
export interface VersionReader {
  manifest(): Promise<Manifest>;
  /** Returns the content of a file of that version. */
  content(file: FileVersion): Promise<Buffer>;
}

/** Returns the newest version of a folder as files below `/workspace`. Nothing is copied to this disk but the files that are read. */
export function versionFiles({ manifest, content }: VersionReader): ReadableFiles {
  const find = async (path: string) => {
    const [first = '', ...rest] = parseGuestPath(path);
    const shown = guestPath([first, ...rest]);
    if (first !== MOUNT) throw fileError('EACCES', `${shown} is outside of /${MOUNT}.`);
    const inner = rest.map(diskName).join('/');
    const { entries } = await manifest();
    return { shown, inner, entries, entry: inner === '' ? ROOT : entries.get(inner) };
  };
  return {
    async read(path, maxBytes) {
      const { shown, entry } = await find(path);
      if (!entry) throw fileError('ENOENT', `cannot open ${shown}: no such file.`);
      if (entry.kind === 'link') throw fileError('ELOOP', `cannot open ${shown}.`);
      if (entry.kind === 'folder') throw fileError('EISDIR', `${shown} is a folder.`);
      if (entry.size <= maxBytes) return entry.size === 0 ? Buffer.alloc(0) : content(entry);
      throw fileError('EFBIG', `${shown} has ${entry.size} bytes; the limit for one read is ${maxBytes}.`);
    },
    async stat(path) {
      const { shown, inner, entry } = await find(path);
      const found = entry && listed(inner === '' ? MOUNT : inner.slice(inner.lastIndexOf('/') + 1), entry);
      if (!found) throw fileError('ENOENT', `${shown} does not exist.`);
      return found;
    },
    async list(path, recursive) {
      const { shown, inner, entry, entries } = await find(path);
      if (!entry) {
        const fix = 'Create it with fs.mkdir(path, {recursive: true}).';
        throw fileError('ENOENT', `the folder ${shown} does not exist. ${fix}`);
      }
      if (entry.kind !== 'folder') throw fileError('ENOTDIR', `${shown} is not a folder.`);
      const prefix = inner === '' ? '' : `${inner}/`;
      const found: FileEntry[] = [];
      for (const [each, version] of entries) {
        if (!each.startsWith(prefix) || found.length >= MAX_LISTED) continue;
        const name = each.slice(prefix.length);
        const shownEntry = recursive || !name.includes('/') ? listed(name, version) : undefined;
        if (shownEntry) found.push(shownEntry);
      }
      return found;
    },
  };
}

const ROOT: ManifestEntry = { kind: 'folder', mode: 0o700 };

/** Returns the entry of a list; undefined for a link, which programs do not see. */
function listed(name: string, entry: ManifestEntry): FileEntry | undefined {
  if (entry.kind === 'link') return undefined;
  if (entry.kind === 'folder') return folderEntry(name);
  return { name, kind: 'file', size: entry.size, mtimeMs: entry.mtimeMs };
}
