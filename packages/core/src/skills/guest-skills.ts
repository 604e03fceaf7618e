import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import type { FileEntry, Files, ReadableFiles } from '../workspaces/files.ts';
import { fileEntry, folderEntry } from '../workspaces/mounts.ts';
import { overlayFiles } from '../workspaces/overlay.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import { openWorkspace } from '../workspaces/workspace.ts';
import { readFolder } from './folder.ts';
import { invalidSkill, type StoredSkills, unknownSkill } from './library.ts';
import { withPlainFiles } from './plain-files/files.ts';
import { skillNameOf } from './plain-files/path.ts';
import { SKILL_FILE, SKILL_LIMITS, type SkillFile, type SkillSummary } from './skill.ts';
import type { SkillStore } from './store.ts';
import { checkedFiles } from './text/checked-files.ts';
import { isSkillName, validateSkill } from './text/validation.ts';
import { fingerprint } from './versions/versions.ts';

/** The skills of one user during one execution. */
export interface GuestSkills {
  /** The files below `/skills`. Other executions see a change after it was saved. */
  readonly files: Files;
  /** Returns all saved skills. */
  list(): Promise<readonly SkillSummary[]>;
  /** Returns the files of a skill, with the changes of this execution. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  open(name: string): Promise<OpenSkill>;
  /**
   * Ends the execution. Saves every changed skill as its next version, unless there is a reason not to. Returns warnings about
   * changes that were not saved.
   */
  end(reasonNotToSave?: string): Promise<string[]>;
}

/** A valid skill, with the changes of this execution. */
export interface OpenSkill {
  readonly name: string;
  readonly description: string;
  readonly files: readonly SkillFile[];
}

const MOUNT = 'skills';

/** Returns the folder on the host for the skills that an execution changes. */
export function changedSkillsFolder(dataDir: string, executionId: string): string {
  return join(dataDir, 'executions', `${executionId}.skills`);
}

/**
 * Opens a user's skills for one execution. Changes stay in `folder` until the end. `redactKnown` redacts the personal data
 * of the session in saved skills; by default texts are saved unchanged.
 */
export function openGuestSkills(
  library: StoredSkills,
  folder: string,
  redactKnown: (text: string) => Promise<string> = async (text) => text,
): GuestSkills {
  const { store } = library;
  const saved = snapshotSkills(store);
  const changes = openWorkspace({
    root: folder,
    mount: MOUNT,
    workspaceBytes: SKILL_LIMITS.allBytes,
    workspaceFiles: SKILL_LIMITS.files * SKILL_LIMITS.skills,
  });
  const overlay = overlayFiles(saved, changes, MOUNT, SKILL_LIMITS.bytes);

  const plain = withPlainFiles(checkedFiles(overlay), library.checkCode);

  const filesOf = async (name: string): Promise<readonly SkillFile[] | undefined> => {
    if (!overlay.changed().includes(name)) return saved.files(name);
    const { kind } = await overlay.stat(guestPath([MOUNT, name])).catch(() => ({ kind: 'file' }));
    const files = kind === 'directory' ? (await readFolder(join(folder, name))).files : undefined;
    return files && plain.names.has(name) ? library.adopt(name, files) : files;
  };
  const save = async (name: string): Promise<string | undefined> => {
    const [before, files] = [await saved.files(name), await filesOf(name)];
    const entry = files ? undefined : await changes.stat(guestPath([MOUNT, name])).catch(() => undefined);
    return saveChangedSkill(library, { name, before, files, isFile: entry !== undefined }, redactKnown);
  };

  return {
    files: plain.files,
    list: () => library.list(),
    async open(wanted) {
      // Programs also use the name of the module or file: `add_up`, `addUp`.
      const name = skillNameOf(wanted);
      const files = isSkillName(name) ? await filesOf(name) : undefined;
      if (!files) throw await unknownSkill(wanted, store);
      const { problems, frontMatter } = await validateSkill(name, files, library);
      if (!frontMatter) throw invalidSkill(name, problems);
      return { name, description: frontMatter.description, files };
    },
    async end(reasonNotToSave) {
      const changed = overlay.changed();
      const warnings: string[] = [];
      if (reasonNotToSave !== undefined && changed.length > 0) {
        warnings.push(`The changes to /skills (${changed.join(', ')}) were not saved: ${reasonNotToSave}.`);
      }
      for (const name of reasonNotToSave === undefined ? changed : []) {
        const warning = await save(name).catch(
          (error: unknown) => `/skills/${name} was not saved: ${messageOf(error)}`,
        );
        if (warning !== undefined) warnings.push(warning);
      }
      if (changed.length > 0) await changes.destroy();
      return warnings;
    },
  };
}

/** A skill that an execution changed. */
export interface ChangedSkill {
  readonly name: string;
  /** Its files before the execution; undefined when there was no such skill. */
  readonly before: readonly SkillFile[] | undefined;
  /** Its files now; undefined when the folder was removed. */
  readonly files: readonly SkillFile[] | undefined;
  /** Set when a file, and not a folder, was written at the skill's path. */
  readonly isFile: boolean;
}

/**
 * Saves a changed skill as its next version. If the result is not a valid skill, it returns a warning for the author of the
 * program. A valid skill stays unchanged then, and a new one is saved as a draft. `redactKnown` redacts every text file: a
 * skill outlives its session, and the personal data of the session must not.
 */
export async function saveChangedSkill(
  library: StoredSkills,
  { name, before, files, isFile }: ChangedSkill,
  redactKnown: (text: string) => Promise<string>,
): Promise<string | undefined> {
  const { store } = library;
  const path = `/skills/${name}`;
  if (!files) {
    if (isFile) {
      return `${path} was not saved: a skill is a file such as /skills/add_up.js (.ts, .py), or a folder with a ${SKILL_FILE} and its code.`;
    }
    if (before) await store.remove(name, { keepVersions: true });
    return undefined;
  }
  if (fingerprint(before ?? []) === fingerprint(files)) return undefined;
  if (files.length > 0 && files.every(({ bytes }) => bytes.length === 0)) return `${path} was not saved: it is empty.`;
  const { problems } = await validateSkill(name, files, library);
  const redacted = await Promise.all(files.map((file) => redactFile(file, redactKnown)));
  if (problems.length === 0) {
    await store.put(name, redacted);
    return undefined;
  }
  if (before && (await validateSkill(name, before, library)).problems.length === 0) {
    return `${path} was not changed, because the result is not a valid skill: ${problems.join(' ')}`;
  }
  await store.put(name, redacted, { isDraft: true });
  return `${path} is not a valid skill yet, and is listed as broken: ${problems.join(' ')}`;
}

async function redactFile(file: SkillFile, redactKnown: (text: string) => Promise<string>): Promise<SkillFile> {
  if (file.text === undefined) return file;
  const text = await redactKnown(file.text);
  return text === file.text ? file : { ...file, text, bytes: Buffer.from(text) };
}

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
