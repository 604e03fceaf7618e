import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openFile } from '../workspaces/paths.ts';
import { SKILL_FILE, SKILL_LIMITS, type SkillFile } from './skill.ts';

/** The content of a folder that may be a skill. */
export interface FolderContent {
  readonly files: readonly SkillFile[];
  /** The reasons why files are missing from `files`. */
  readonly problems: readonly string[];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_DEPTH = 16;

/** Reads the files of a folder on the host. A link or a device is never opened: it is a problem. */
export async function readFolder(root: string): Promise<FolderContent> {
  const files: SkillFile[] = [];
  const problems: string[] = [];
  let bytes = 0;
  const collect = async (folder: string, prefix: string, depth: number): Promise<void> => {
    for (const name of (await readdir(join(root, folder))).sort()) {
      const path = `${prefix}${name}`;
      const found = await lstat(join(root, path)).catch(() => undefined);
      if (!found) continue;
      if (found.isDirectory() && depth < MAX_DEPTH) await collect(path, `${path}/`, depth + 1);
      else if (!found.isFile())
        problems.push(`${path} is neither a file nor a folder. Replace it with a regular file.`);
      else if (files.length >= SKILL_LIMITS.files) {
        problems.push(`The folder has more than ${SKILL_LIMITS.files} files. Remove some.`);
        return;
      } else if (bytes + found.size > SKILL_LIMITS.bytes) {
        problems.push(`The files have more than ${SKILL_LIMITS.bytes} bytes together. Make them smaller.`);
        return;
      } else {
        bytes += found.size;
        files.push(skillFile(path, await readPlain(join(root, path), path)));
      }
    }
  };
  await collect('', '', 0);
  return { files: inOrder(files), problems: [...new Set(problems)] };
}

/** Creates a skill file from text or bytes. */
export function skillFile(path: string, content: string | Uint8Array): SkillFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  try {
    return { path, bytes, text: UTF8.decode(bytes) };
  } catch {
    return { path, bytes };
  }
}

/** Sorts files: `SKILL.md` first, the others by path. */
export function inOrder(files: readonly SkillFile[]): SkillFile[] {
  const key = ({ path }: SkillFile) => (path === SKILL_FILE ? '' : path);
  return [...files].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Writes files into a new folder. They survive a power cut. */
export async function writeFolder(root: string, files: readonly SkillFile[]): Promise<void> {
  const folders = new Set([root]);
  for (const { path, bytes } of files) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    for (let folder = dirname(target); folder.length > root.length; folder = dirname(folder)) folders.add(folder);
    await writeDurably(target, bytes);
  }
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const folder of folders) await flushFolder(folder);
}

/** Writes a new file and waits for the disk. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until created and renamed entries of a folder are on the disk, where the system supports that. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function readPlain(path: string, name: string): Promise<Buffer> {
  const file = await openFile(path, name, constants.O_RDONLY);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
