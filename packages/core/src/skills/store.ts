import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type FolderContent, writeFolder } from './folder.ts';
import { openFolderSwap } from './folder-swap.ts';
import { checkQuota } from './quota.ts';
import type { SkillFile } from './skill.ts';
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
