import { createHash, type Hash } from 'node:crypto';
import { closeSync, fchmodSync, fstatSync, futimesSync, openSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, open, rm, rmdir, symlink, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { forgetSize } from '../shared-state.ts';
import type { FolderContents } from './contents.ts';
import {
  EMPTY_MANIFEST,
  type FileVersion,
  hasSameContent,
  isSameEntry,
  isSameVersion,
  type Manifest,
  type ManifestEntry,
} from './manifest.ts';
import { planVersion, type VersionPlan } from './plan.ts';
import { type Found, foundFile, SMALL_BYTES, scanFolder } from './scan.ts';

/** The copy of a versioned folder on this disk. One step at a time may use it. */
export interface LocalCopy {
  /** The version that the copy had at its last step. Its files may have changed since. */
  readonly manifest: Manifest;
  /** Makes the copy that of a version. Downloads the files that differ. */
  checkOut(manifest: Manifest, contents: FolderContents): Promise<void>;
  /** Returns the next version with the files as they are now; undefined if nothing differs from the version before. */
  next(applied: Manifest['applied']): Promise<VersionPlan | undefined>;
  /** Notes that the files of {@link next} are a version now. */
  committed(manifest: Manifest): void;
}

const OWN_MODE = 0o700;
const MILLISECONDS = 1_000;
/** Added to each time, in milliseconds: a fraction of a second may be rounded down to the millisecond before. */
const ROUNDING_MS = 0.01;

/** Opens the copy in `root`. `top` names the entries that are versioned; by default all. */
export function openLocalCopy(root: string, top?: ReadonlySet<string>): LocalCopy {
  let manifest = EMPTY_MANIFEST;
  let known: ReadonlyMap<string, Found> = new Map();
  let scanned: ReadonlyMap<string, Found> = new Map();
  return {
    get manifest() {
      return manifest;
    },
    async checkOut(target, contents) {
      const found = await scanFolder(root, known, top);
      known = found;
      await mkdir(root, { recursive: true, mode: OWN_MODE });
      known = await bringTo(root, found, target, contents);
      manifest = target;
      // Others keep the size of the folder.
      await forgetSize(root);
    },
    async next(applied) {
      scanned = await scanFolder(root, known, top);
      const plan = planVersion(scanned, manifest, applied);
      return isSameVersion(plan.manifest, manifest) ? undefined : plan;
    },
    committed(version) {
      manifest = version;
      known = scanned;
    },
  };
}

function withPlace(found: Found): ManifestEntry {
  return found.kind === 'file' ? { ...found, blob: '', offset: 0 } : found;
}

type MissingFile = FileVersion & { readonly path: string };

/** Changes the found files to those of a version. Returns them as they are then. */
async function bringTo(
  root: string,
  found: ReadonlyMap<string, Found>,
  { entries }: Manifest,
  contents: FolderContents,
): Promise<Map<string, Found>> {
  const after = new Map<string, Found>();
  // The content of a folder goes before the folder.
  for (const [path, each] of [...found].reverse()) {
    if (hasSameContent(withPlace(each), entries.get(path))) after.set(path, each);
    else await removeEntry(join(root, path), each);
  }
  const missing: MissingFile[] = [];
  for (const [path, entry] of entries) {
    const here = after.get(path);
    if (here) await restoreAttributes(root, path, entry, after);
    else if (entry.kind === 'file') missing.push({ ...entry, path });
    else {
      if (entry.kind === 'link') await symlink(entry.target, join(root, path));
      else await mkdir(join(root, path), { mode: entry.mode });
      after.set(path, entry);
    }
  }
  const write = async (file: MissingFile, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    after.set(file.path, await writeVersion(join(root, file.path), file, content));
  };
  for (const file of missing) if (file.size === 0) await write(file, []);
  await contents.download(
    missing.filter(({ size }) => size > 0),
    write,
  );
  return after;
}

function secondsOf({ mtimeMs }: FileVersion): number {
  return (mtimeMs + ROUNDING_MS) / MILLISECONDS;
}

async function removeEntry(path: string, { kind }: Found): Promise<void> {
  if (kind !== 'folder') await unlink(path);
  // It may have a device or a pipe, which no version has.
  else await rmdir(path).catch(() => rm(path, { recursive: true, force: true }));
}

/** Gives an entry with the right content the mode and time of its version. */
async function restoreAttributes(
  root: string,
  path: string,
  entry: ManifestEntry,
  after: Map<string, Found>,
): Promise<void> {
  const here = after.get(path);
  if (here === undefined || entry.kind === 'link' || isSameEntry(withPlace(here), entry)) return;
  await chmod(join(root, path), entry.mode);
  if (entry.kind === 'folder') return void after.set(path, entry);
  await utimes(join(root, path), secondsOf(entry), secondsOf(entry));
  const stats = await lstat(join(root, path), { bigint: true });
  after.set(path, foundFile(stats, entry.sha256));
}

/** Writes a file. Nobody reads the copy meanwhile, and a part of a file is removed by the next check-out. */
async function writeVersion(
  path: string,
  file: FileVersion,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Found> {
  if (file.size <= SMALL_BYTES && Symbol.iterator in content)
    return writeSmall(path, file, Buffer.concat([...content]));
  const { mode, sha256 } = file;
  const hash = createHash('sha256');
  const target = await open(path, 'wx', mode);
  try {
    for await (const part of content) {
      hash.update(part);
      await target.writeFile(part);
    }
    requireHash(hash, sha256);
    await target.chmod(mode);
    await target.utimes(secondsOf(file), secondsOf(file));
    return foundFile(await target.stat({ bigint: true }), sha256);
  } finally {
    await target.close();
  }
}

/** Calls that block cost a tenth of those that do not. */
function writeSmall(path: string, file: FileVersion, content: Buffer): Found {
  const { mode, sha256 } = file;
  requireHash(createHash('sha256').update(content), sha256);
  const target = openSync(path, 'wx', mode);
  try {
    writeFileSync(target, content);
    futimesSync(target, secondsOf(file), secondsOf(file));
    const written = foundFile(fstatSync(target, { bigint: true }), sha256);
    if (written.mode === mode) return written;
    fchmodSync(target, mode);
    return foundFile(fstatSync(target, { bigint: true }), sha256);
  } finally {
    closeSync(target);
  }
}

function requireHash(hash: Hash, sha256: string): void {
  if (hash.digest('hex') === sha256) return;
  const message = 'A blob of a folder is damaged: its hash is another one. Restore it from a backup.';
  throw new ToolwrightError('STORE_UNAVAILABLE', message);
}
