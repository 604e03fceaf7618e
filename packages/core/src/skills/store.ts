import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ToolwrightError } from '../errors.ts';
import { type FolderContent, flushFolder, readFolder, writeFolder } from './folder.ts';
import { SKILL_LIMITS, type SkillFile } from './skill.ts';
import { isSkillName } from './text/validation.ts';
import { fingerprint, type KeptVersion, keepVersion, listVersions, readVersion } from './versions/versions.ts';

/** The folders of one user's skills, valid or not, and their versions. The caller checks the names. */
export interface SkillStore {
  /** Folder of the skills: `<root>/<name>/SKILL.md`. */
  readonly root: string;
  names(): Promise<string[]>;
  /** Returns the content of a skill's folder; undefined when there is none. */
  read(name: string): Promise<FolderContent | undefined>;
  versions(name: string): Promise<KeptVersion[]>;
  readVersion(name: string, version: number): Promise<SkillFile[] | undefined>;
  /**
   * Replaces a folder atomically and returns the number of the new version; a draft is not a version and returns 0. Raises
   * `WORKSPACE_FULL`, and `BUSY` while other processes keep changing the folder.
   */
  put(name: string, files: readonly SkillFile[], options?: { readonly isDraft?: boolean }): Promise<number>;
  /** Removes a folder, and its versions unless `keepVersions` is set. */
  remove(name: string, options?: { readonly keepVersions?: boolean }): Promise<void>;
}

/** Folders that are replaced as a whole. A crash at any moment leaves the old or the new content. */
interface FolderSwap {
  /** Returns the names of all folders, including those that a crashed replacement left in `moved`. */
  names(): Promise<string[]>;
  /** Returns the content of a folder; undefined when there is none. Raises `BUSY`. */
  read(name: string): Promise<FolderContent | undefined>;
  /** Puts the folder `fresh` in the place of a folder. Raises `BUSY`. */
  replace(name: string, fresh: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Attempts before the changes of another process are reported as `BUSY`. */
const MAX_ATTEMPTS = 50;

/** The skills of one user, at the moment of a save. */
interface QuotaCheck {
  /** Folder of the skills. */
  readonly root: string;
  /** Folder of the versions. */
  readonly versions: string;
  /** The skill to be saved, and all other skills. */
  readonly name: string;
  readonly others: readonly string[];
  readonly files: readonly SkillFile[];
}

/** Opens the skills of one user in `<home>/skills`. Versions are in `<home>/skill-versions`. */
export function openSkillStore(home: string): SkillStore {
  const root = join(home, 'skills');
  const versions = join(home, 'skill-versions');
  const moved = join(home, 'skill-changes');
  const folders = openFolderSwap(root, moved);
  const inTurn = pLimit(1);
  const names = async (): Promise<string[]> => (await folders.names()).filter(isSkillName);

  async function put(name: string, files: readonly SkillFile[], isDraft: boolean): Promise<number> {
    const others = (await names()).filter((other) => other !== name);
    await checkQuota({ root, versions, name, others, files });
    const history = join(versions, name);
    const before = await folders.read(name);
    const [newest] = await listVersions(history);
    // A folder that was edited by hand becomes a version before it is replaced.
    if (before && newest && newest.sha256 !== fingerprint(before.files)) await keepVersion(history, before.files);
    const version = isDraft ? 0 : await keepVersion(history, files);
    const fresh = join(moved, `${name}.new.${randomUUID()}`);
    await mkdir(root, { recursive: true, mode: 0o700 });
    try {
      await writeFolder(fresh, files);
      await folders.replace(name, fresh);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    return version;
  }

  return {
    root,
    names,
    read: folders.read,
    versions: (name) => listVersions(join(versions, name)),
    readVersion: (name, version) => readVersion(join(versions, name), version),
    put: (name, files, { isDraft = false } = {}) => inTurn(() => put(name, files, isDraft)),
    remove: (name, { keepVersions = false } = {}) =>
      inTurn(async () => {
        await folders.remove(name);
        if (!keepVersions) await rm(join(versions, name), { recursive: true, force: true });
      }),
  };
}

/** Opens the folders in `root`. `moved` holds old folders during a replacement: `<name>.old.<uuid>`. */
function openFolderSwap(root: string, moved: string): FolderSwap {
  const leftovers = async (name: string): Promise<string[]> => {
    const entries = await readdir(moved).catch(() => []);
    return entries.filter((entry) => entry.startsWith(`${name}.old.`));
  };
  /** Moves the old folder back that a crashed replacement left, or one that is still running. */
  const restore = async (name: string): Promise<boolean> => {
    const [left] = await leftovers(name);
    return left !== undefined && succeeds(rename(join(moved, left), join(root, name)));
  };
  const discard = async (name: string): Promise<void> => {
    for (const entry of await leftovers(name)) await rm(join(moved, entry), { recursive: true, force: true });
  };

  return {
    async names() {
      const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      const left = (await readdir(moved).catch(() => [])).flatMap((entry) => /^(.+)\.old\./.exec(entry)?.[1] ?? []);
      return [...new Set([...folders, ...left])].sort();
    },
    async read(name) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = await lstat(join(root, name)).catch(() => undefined);
        if (!before && (await restore(name))) continue;
        if (!before?.isDirectory()) return undefined;
        const content = await readFolder(join(root, name)).catch(() => undefined);
        const after = await lstat(join(root, name)).catch(() => undefined);
        // If another process replaced the folder meanwhile, the content may be a mixture of both.
        if (content && after?.ino === before.ino) return content;
      }
      throw busy(name);
    },
    async replace(name, fresh) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        await rename(join(root, name), join(moved, `${name}.old.${randomUUID()}`)).catch(() => undefined);
        if (!(await succeeds(rename(fresh, join(root, name))))) continue;
        await flushFolder(root);
        return discard(name);
      }
      throw busy(name);
    },
    async remove(name) {
      await mkdir(moved, { recursive: true, mode: 0o700 });
      const gone = join(moved, `${name}.gone.${randomUUID()}`);
      await rename(join(root, name), gone).catch(() => undefined);
      await rm(gone, { recursive: true, force: true });
      await discard(name);
    },
  };
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function busy(name: string): ToolwrightError {
  return new ToolwrightError('BUSY', `Other processes keep changing the skill "${name}". Try again.`);
}

/**
 * Checks that a skill fits into the quota of its user. Raises `WORKSPACE_FULL`. If necessary, it deletes the
 * versions of removed skills.
 */
async function checkQuota({ root, versions, name, others, files }: QuotaCheck): Promise<void> {
  if (others.length >= SKILL_LIMITS.skills) {
    throw full(`There are ${others.length} skills, which is the limit. Remove some.`);
  }
  const own = files.reduce((total, file) => total + file.bytes.length, 0);
  let bytes = own;
  for (const other of others) bytes += await folderBytes(join(root, other));
  if (bytes > SKILL_LIMITS.allBytes) {
    throw full(`All skills together would have ${bytes} bytes; the limit is ${SKILL_LIMITS.allBytes}. Remove some.`);
  }
  if ((await folderBytes(versions)) + own <= SKILL_LIMITS.allVersionBytes) return;
  const histories = await readdir(versions).catch(() => []);
  for (const removed of histories.filter((history) => history !== name && !others.includes(history))) {
    await rm(join(versions, removed), { recursive: true, force: true });
  }
  const kept = (await folderBytes(versions)) + own;
  if (kept <= SKILL_LIMITS.allVersionBytes) return;
  const limit = SKILL_LIMITS.allVersionBytes;
  throw full(`The versions of all skills would have ${kept} bytes; the limit is ${limit}. Remove skills.`);
}

async function folderBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const found = entry.isFile() ? await lstat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
    bytes += found?.size ?? 0;
  }
  return bytes;
}

function full(message: string): ToolwrightError {
  return new ToolwrightError('WORKSPACE_FULL', message);
}
