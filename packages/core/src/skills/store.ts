import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ToolwrightError } from '../errors.ts';
import { type FolderContent, flushFolder, readFolder, writeFolder } from './folder.ts';
import { isSkillName } from './rules.ts';
import { SKILL_LIMITS, type SkillFile } from './skill.ts';
import { fingerprint, type KeptVersion, keepVersion, listVersions, readVersion } from './versions.ts';

/** The folders of one user's skills, valid or not, and their versions. Names are checked by who calls. */
export interface SkillStore {
  /** Folder of the skills: `<root>/<name>/SKILL.md`. */
  readonly root: string;
  names(): Promise<string[]>;
  /** What is in a folder now; undefined when there is none. */
  read(name: string): Promise<FolderContent | undefined>;
  versions(name: string): Promise<KeptVersion[]>;
  readVersion(name: string, version: number): Promise<SkillFile[] | undefined>;
  /** Replaces a folder as a whole; as a new version unless it is a draft. Raises `WORKSPACE_FULL`. */
  put(name: string, files: readonly SkillFile[], options?: { readonly isDraft?: boolean }): Promise<number>;
  /** Removes a folder, with its versions unless they are kept. */
  remove(name: string, options?: { readonly keepVersions?: boolean }): Promise<void>;
}

/** Attempts at what another process may be doing at the same time. */
const MAX_ATTEMPTS = 50;

/** Opens the skills of one user in `<home>/skills`; versions are in `<home>/skill-versions`. */
export function openSkillStore(home: string): SkillStore {
  const root = join(home, 'skills');
  const versions = join(home, 'skill-versions');
  const moved = join(home, 'skill-changes');
  const inTurn = pLimit(1);

  /** Puts back what was moved away by a save that did not end, or that is just about to. */
  const restore = async (name: string): Promise<boolean> => {
    const left = (await readdir(moved).catch(() => [])).find((entry) => entry.startsWith(`${name}.old.`));
    if (left === undefined) return false;
    return rename(join(moved, left), join(root, name)).then(
      () => true,
      () => false,
    );
  };

  const read = async (name: string): Promise<FolderContent | undefined> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = await lstat(join(root, name)).catch(() => undefined);
      if (!before && (await restore(name))) continue;
      if (!before?.isDirectory()) return undefined;
      const content = await readFolder(join(root, name)).catch(() => undefined);
      const after = await lstat(join(root, name)).catch(() => undefined);
      // Another folder has come in its place meanwhile: what was read may be of both.
      if (content && after?.ino === before.ino) return content;
    }
    throw new ToolwrightError('BUSY', `The skill "${name}" is being changed all the time. Try again.`);
  };

  const forget = async (name: string): Promise<void> => {
    const left = (await readdir(moved).catch(() => [])).filter((entry) => entry.startsWith(`${name}.old.`));
    for (const entry of left) await rm(join(moved, entry), { recursive: true, force: true });
  };

  const swap = async (name: string, fresh: string): Promise<void> => {
    const target = join(root, name);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const old = join(moved, `${name}.old.${randomUUID()}`);
      await rename(target, old).catch(() => undefined);
      const isThere = await rename(fresh, target).then(
        () => true,
        () => false,
      );
      if (isThere) {
        await flushFolder(root);
        await forget(name);
        return;
      }
    }
    throw new ToolwrightError('BUSY', `The skill "${name}" is being changed all the time. Try again.`);
  };

  const names = async (): Promise<string[]> => {
    const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
    const left = (await readdir(moved).catch(() => [])).map((entry) => /^(.+)\.old\./.exec(entry)?.[1]);
    const all = [...entries.filter((entry) => entry.isDirectory()).map(({ name }) => name), ...left];
    return [...new Set(all.filter(isSkillName))].sort();
  };

  const checkQuota = async (name: string, files: readonly SkillFile[]): Promise<void> => {
    const others = (await names()).filter((other) => other !== name);
    if (others.length >= SKILL_LIMITS.skills) {
      throw new ToolwrightError(
        'WORKSPACE_FULL',
        `There are ${others.length} skills, which is the limit. Remove some.`,
      );
    }
    const own = files.reduce((total, file) => total + file.bytes.length, 0);
    let bytes = own;
    for (const other of others) bytes += await folderBytes(join(root, other));
    if (bytes > SKILL_LIMITS.allBytes) {
      const message = `All skills together would have ${bytes} bytes and may have ${SKILL_LIMITS.allBytes}. Remove some.`;
      throw new ToolwrightError('WORKSPACE_FULL', message);
    }
    if ((await folderBytes(versions)) + own <= SKILL_LIMITS.allVersionBytes) return;
    // Versions of skills that a program removed go first.
    const histories = await readdir(versions).catch(() => []);
    for (const gone of histories.filter((history) => history !== name && !others.includes(history))) {
      await rm(join(versions, gone), { recursive: true, force: true });
    }
    const kept = (await folderBytes(versions)) + own;
    if (kept <= SKILL_LIMITS.allVersionBytes) return;
    const message = `The versions of all skills would have ${kept} bytes and may have ${SKILL_LIMITS.allVersionBytes}. Remove skills.`;
    throw new ToolwrightError('WORKSPACE_FULL', message);
  };

  const put = async (name: string, files: readonly SkillFile[], isDraft: boolean): Promise<number> => {
    await checkQuota(name, files);
    const history = join(versions, name);
    const before = await read(name);
    const kept = await listVersions(history);
    // What somebody has changed by hand is a version too, before it is replaced.
    if (before && kept[0] && kept[0].sha256 !== fingerprint(before.files)) await keepVersion(history, before.files);
    const version = isDraft ? 0 : await keepVersion(history, files);
    const fresh = join(moved, `${name}.new.${randomUUID()}`);
    await mkdir(root, { recursive: true, mode: 0o700 });
    try {
      await writeFolder(fresh, files);
      await swap(name, fresh);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    return version;
  };

  return {
    root,
    names,
    read,
    versions: (name) => listVersions(join(versions, name)),
    readVersion: (name, version) => readVersion(join(versions, name), version),
    put: (name, files, { isDraft = false } = {}) => inTurn(() => put(name, files, isDraft)),
    remove: (name, { keepVersions = false } = {}) =>
      inTurn(async () => {
        await mkdir(moved, { recursive: true, mode: 0o700 });
        const gone = join(moved, `${name}.gone.${randomUUID()}`);
        await rename(join(root, name), gone).catch(() => undefined);
        await rm(gone, { recursive: true, force: true });
        await forget(name);
        if (!keepVersions) await rm(join(versions, name), { recursive: true, force: true });
      }),
  };
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
