import type { FileEntry, ReadableFiles } from '../../workspaces/files.ts';
import { fileEntry, folderEntry } from '../../workspaces/mounts.ts';
import { fileError, guestPath, parseGuestPath } from '../../workspaces/paths.ts';
import type { SkillFile } from '../skill.ts';
import type { SkillStore } from '../store.ts';

/** A user's skills as files. A skill does not change after its first read. */
export interface SkillSnapshot extends ReadableFiles {
  /** Returns the files of a skill; undefined when there is no such skill. */
  files(name: string): Promise<readonly SkillFile[] | undefined>;
}

/** Opens the folders of a store as files below `/skills`. */
export function snapshotSkills(store: SkillStore): SkillSnapshot {
  const seen = new Map<string, Promise<readonly SkillFile[] | undefined>>();
  const files = async (name: string): Promise<readonly SkillFile[] | undefined> => {
    const known = seen.get(name) ?? readFiles(store, name);
    seen.set(name, known);
    return known;
  };
  const locate = async (path: string) => {
    const parts = parseGuestPath(path);
    const [, name = '', ...rest] = parts;
    return { name: guestPath(parts), inner: rest.join('/'), skill: await files(name) };
  };
  const missing = (path: string) => fileError('ENOENT', `${path} does not exist.`);

  return {
    files,
    async read(path, maxBytes) {
      const { skill, inner, name } = await locate(path);
      const file = skill?.find((candidate) => candidate.path === inner);
      if (!file && (inner === '' ? skill : entriesBelow(skill, inner))) {
        throw fileError('EISDIR', `${name} is not a file.`);
      }
      if (!file) throw missing(name);
      if (file.bytes.length <= maxBytes) return Buffer.from(file.bytes);
      throw fileError('EFBIG', `${name} has ${file.bytes.length} bytes; the limit for one read is ${maxBytes}.`);
    },
    async stat(path) {
      const { skill, inner, name } = await locate(path);
      if (skill && inner === '') return folderEntry(name.slice(name.lastIndexOf('/') + 1));
      const file = skill?.find((candidate) => candidate.path === inner);
      const last = inner.slice(inner.lastIndexOf('/') + 1);
      if (file) return fileEntry(last, file.bytes.length);
      if (entriesBelow(skill, inner)) return folderEntry(last);
      throw missing(name);
    },
    async list(path, recursive) {
      if (parseGuestPath(path).length > 1) {
        const { skill, inner, name } = await locate(path);
        const entries = entriesBelow(skill, inner);
        if (entries) return entries.filter((entry) => recursive || !entry.name.includes('/'));
        if (!skill?.some((candidate) => candidate.path === inner))
          throw fileError('ENOENT', `the folder ${name} does not exist.`);
        throw fileError('ENOTDIR', `${name} is not a folder.`);
      }
      const all: FileEntry[] = [];
      for (const name of await store.names()) {
        all.push(folderEntry(name));
        const entries = recursive ? (entriesBelow(await files(name), '') ?? []) : [];
        for (const entry of entries) all.push({ ...entry, name: `${name}/${entry.name}` });
      }
      return all;
    },
  };
}

/** Returns the files and folders below a folder of a skill, by path; undefined when there is no such folder. */
function entriesBelow(skill: readonly SkillFile[] | undefined, folder: string): FileEntry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  const inside = (skill ?? []).filter(({ path }) => path.startsWith(prefix));
  if (!skill || (inside.length === 0 && folder !== '')) return undefined;
  const entries = new Map<string, FileEntry>();
  for (const { path, bytes } of inside) {
    const parts = path.slice(prefix.length).split('/');
    for (let length = 1; length < parts.length; length++) {
      const name = parts.slice(0, length).join('/');
      entries.set(name, folderEntry(name));
    }
    const name = parts.join('/');
    entries.set(name, fileEntry(name, bytes.length));
  }
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readFiles(store: SkillStore, name: string): Promise<readonly SkillFile[] | undefined> {
  if (!(await store.names()).includes(name)) return undefined;
  return (await store.read(name))?.files;
}
