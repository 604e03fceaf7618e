import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, skillFile, writeDurably } from './folder.ts';
import { SKILL_LIMITS, type SkillFile, type SkillVersion } from './skill.ts';

/** A version that is kept. */
export interface KeptVersion extends SkillVersion {
  /** Fingerprint of its files: see `fingerprint`. */
  readonly sha256: string;
  readonly bytes: number;
}

const VERSION_FILE = /^(\d+)\.json$/;
/** Bytes from the start of a version's file that hold its head. */
const HEAD_BYTES = 200;
const HEAD = /^\{"sha256":"([\da-f]{64})","savedAt":"([^"]+)"/;

/** The versions of one skill, newest first: one file each, which is there whole or not at all. */
export async function listVersions(folder: string): Promise<KeptVersion[]> {
  const names = await readdir(folder).catch(() => []);
  const versions: KeptVersion[] = [];
  for (const name of names) {
    const number = VERSION_FILE.exec(name)?.[1];
    const head = number && (await readHead(join(folder, name)).catch(() => undefined));
    if (head) versions.push({ version: Number(number), ...head });
  }
  return versions.sort((a, b) => b.version - a.version);
}

/** Keeps files as the next version and gives its number; what is over the limits goes, oldest first. */
export async function keepVersion(folder: string, files: readonly SkillFile[]): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const content = Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('base64')]));
  const head = { sha256: fingerprint(files), savedAt: new Date().toISOString() };
  const written = join(folder, `.${randomUUID()}`);
  await writeDurably(written, JSON.stringify({ ...head, files: content }));
  try {
    const [newest] = await listVersions(folder);
    const version = await take(folder, written, (newest?.version ?? 0) + 1);
    await flushFolder(folder);
    await prune(folder);
    return version;
  } finally {
    await unlink(written);
  }
}

/** The files of one version; undefined when it is not kept. */
export async function readVersion(folder: string, version: number): Promise<SkillFile[] | undefined> {
  const text = await readFile(join(folder, `${version}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { files } = JSON.parse(text) as { files: Record<string, string> };
  return Object.entries(files).map(([path, base64]) => skillFile(path, Buffer.from(base64, 'base64')));
}

/** The same for the same files, whatever their order. */
export function fingerprint(files: readonly SkillFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  }
  return hash.digest('hex');
}

/** A link is made only where there is none: of two who save at once, the second takes the next number. */
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

async function readHead(path: string): Promise<Omit<KeptVersion, 'version'> | undefined> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const match = HEAD.exec(buffer.toString('utf8', 0, bytesRead));
    const { size } = await stat(path);
    return match ? { sha256: match[1] ?? '', savedAt: match[2] ?? '', bytes: size } : undefined;
  } finally {
    await file.close();
  }
}
