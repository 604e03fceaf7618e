import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { SKILL_LIMITS, type SkillFile } from './skill.ts';

/** The skills of one user, at the moment of a save. */
export interface QuotaCheck {
  /** Folder of the skills. */
  readonly root: string;
  /** Folder of the versions. */
  readonly versions: string;
  /** The skill to be saved, and all other skills. */
  readonly name: string;
  readonly others: readonly string[];
  readonly files: readonly SkillFile[];
}

/**
 * Checks that a skill fits into the quota of its user. Raises `WORKSPACE_FULL`. If necessary, it deletes the
 * versions of removed skills.
 */
export async function checkQuota({ root, versions, name, others, files }: QuotaCheck): Promise<void> {
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
