import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import * as z from 'zod';
import { quarantine, readOwnFile } from '../../telemetry/health/damaged-files.ts';
import { flushFolder, skillFile, writeDurably } from '../folder.ts';
import { SKILL_LIMITS, type SkillFile, type SkillVersion } from '../skill.ts';

/** A saved version. */
export interface KeptVersion extends SkillVersion {
  /** The {@link fingerprint} of its files. */
  readonly sha256: string;
  readonly bytes: number;
}

const VERSION_FILE = /^(\d+)\.json$/;
/** A version, or one that was damaged: its number is not used again. */
const USED_NUMBER = /^(\d+)\.json(?:\.damaged-\d+)?$/;
const KIND = 'skill version';
/** Bytes at the start of a version's file that contain its head. */
const HEAD_BYTES = 200;
const recordSchema = z.object({ sha256: z.string(), files: z.record(z.string(), z.string()) });
const HEAD = /^\{"sha256":"([\da-f]{64})","savedAt":"([^"]+)"/;

/** Returns the versions of one skill, newest first. Each version is one file, which is written atomically. */
export async function listVersions(folder: string): Promise<KeptVersion[]> {
  const names = await readdir(folder).catch(() => []);
  const versions: KeptVersion[] = [];
  for (const name of names) {
    const number = VERSION_FILE.exec(name)?.[1];
    if (number === undefined) continue;
    // A file that cannot be read now may be whole.
    const found = await readHead(join(folder, name)).catch(() => undefined);
    if (found === 'damaged') quarantine(join(folder, name), KIND, 'its head is not valid');
    else if (found) versions.push({ version: Number(number), ...found });
  }
  return versions.sort((a, b) => b.version - a.version);
}

/** Saves files as the next version and returns its number. Deletes the oldest versions above the limits. */
export async function keepVersion(folder: string, files: readonly SkillFile[]): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const content = Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('base64')]));
  const head = { sha256: fingerprint(files), savedAt: new Date().toISOString() };
  const written = join(folder, `.${randomUUID()}`);
  await writeDurably(written, JSON.stringify({ ...head, files: content }));
  try {
    const used = (await readdir(folder)).map((name) => Number(USED_NUMBER.exec(name)?.[1] ?? 0));
    const version = await take(folder, written, Math.max(0, ...used) + 1);
    await flushFolder(folder);
    await prune(folder);
    return version;
  } finally {
    await unlink(written);
  }
}

/** Returns the files of one version; undefined when it does not exist. A damaged version is quarantined. */
export async function readVersion(folder: string, version: number): Promise<SkillFile[] | undefined> {
  return readOwnFile(join(folder, `${version}.json`), KIND, (text) => {
    const record = recordSchema.safeParse(parseJson(text));
    if (!record.success) return undefined;
    const { sha256, files } = record.data;
    const all = Object.entries(files).map(([path, base64]) => skillFile(path, Buffer.from(base64, 'base64')));
    return fingerprint(all) === sha256 ? all : undefined;
  });
}

/** Returns a hash of files that does not depend on their order. */
export function fingerprint(files: readonly SkillFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  }
  return hash.digest('hex');
}

/** Creates a link, which fails for an existing path: of two concurrent saves, the second takes the next number. */
async function take(folder: string, written: string, first: number): Promise<number> {
  for (let version = first; ; version++) {
    try {
      await link(written, join(folder, `${version}.json`));
      return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function prune(folder: string): Promise<void> {
  let bytes = 0;
  for (const [index, kept] of (await listVersions(folder)).entries()) {
    bytes += kept.bytes;
    const isOver = index >= SKILL_LIMITS.versions || bytes > SKILL_LIMITS.versionBytes;
    if (index > 0 && isOver) await rm(join(folder, `${kept.version}.json`), { force: true });
  }
}

async function readHead(path: string): Promise<Omit<KeptVersion, 'version'> | 'damaged'> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const match = HEAD.exec(buffer.toString('utf8', 0, bytesRead));
    const { size } = await stat(path);
    return match ? { sha256: match[1] ?? '', savedAt: match[2] ?? '', bytes: size } : 'damaged';
  } finally {
    await file.close();
  }
}
