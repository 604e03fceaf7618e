import { createHash, randomUUID } from 'node:crypto';
import { constants, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, lstat, mkdtemp, open, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, isPrivateFolder } from '../../cache-folder.ts';
import { SandboxError } from '../../errors.ts';
import { descriptorShortage, isDescriptorShortage } from '../../processes/descriptors.ts';
import { GUEST_FOLDER } from '../guest-folder.ts';
import { endText, type GuestCarrier } from '../guest-process.ts';

/** An open snapshot of an interpreter that has loaded the guest runtime. */
export interface Snapshot {
  /** Descriptor for guests. The file contains the SHA-256 of the interpreter's memory, then the memory. */
  readonly descriptor: number;
  close(): Promise<void>;
}

const DIGEST_BYTES = 32;
const MAX_SNAPSHOT_BYTES = 128 * 1024 * 1024;
/** Much more than the measured 2 s: the machine may be busy. */
const MAKE_TIMEOUT_MS = 180_000;
const PREFIX = 'pyodide-';
/** Snapshots of other versions are removed when they were not used for this time. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1_000;
const GROUP_AND_OTHERS = 0o077;

const making = new Map<string, Promise<void>>();

/**
 * Opens the snapshot for the installed versions, and creates it first if there is none or it is not trusted. `startMaker`
 * starts the process that sends a new snapshot over its channel.
 */
export async function openSnapshot(cacheDir: string | undefined, startMaker: () => GuestCarrier): Promise<Snapshot> {
  try {
    const folder = cacheDir ?? cacheFolder();
    if (!isPrivateFolder(folder)) return await openPrivateSnapshot(startMaker);
    const path = join(folder, `${PREFIX}${fingerprint()}.bin`);
    const found = await openVerified(path);
    if (found) return found;
    const made = making.get(path) ?? makeSnapshot(path, startMaker).finally(() => making.delete(path));
    making.set(path, made);
    await made;
    await removeUnused(folder);
    const snapshot = await openVerified(path);
    if (snapshot) return snapshot;
    throw new Error(`${path} changed after it was written`);
  } catch (error) {
    if (isDescriptorShortage(error)) throw descriptorShortage(error);
    if (error instanceof SandboxError && error.code === 'BUSY') throw error;
    const message = `Creating the snapshot of the interpreter failed: ${error instanceof Error ? error.message : String(error)}.`;
    throw new SandboxError('SANDBOX_UNAVAILABLE', message, { cause: error });
  }
}

/** Creates a snapshot in a temporary folder, for users without a private cache folder. It lives as long as this process. */
async function openPrivateSnapshot(startMaker: () => GuestCarrier): Promise<Snapshot> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-pyodide-'));
  try {
    const path = join(folder, 'snapshot.bin');
    await makeSnapshot(path, startMaker);
    const snapshot = await openVerified(path);
    if (snapshot) return snapshot;
    throw new Error(`${path} changed while it was written`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a key of the versions of guest files, interpreter and Node: a snapshot fits only one combination. */
function fingerprint(): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`);
  for (const file of guestFiles())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(GUEST_FOLDER, file)));
  return hash.digest('hex').slice(0, 32);
}

function guestFiles(): string[] {
  const names = readdirSync(GUEST_FOLDER, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^(pyodide|python)\b.*\.(py|js)$/.test(name)).sort();
}

/** Opens a snapshot. Returns `undefined` unless this user owns it and it is complete and unchanged. */
async function openVerified(path: string): Promise<Snapshot | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (await isTrusted(file)) {
      const kept = file;
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined);
      return { descriptor: kept.fd, close: () => kept.close() };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (isDescriptorShortage(error)) throw error;
  }
  await file?.close();
  return undefined;
}

async function isTrusted(file: FileHandle): Promise<boolean> {
  const { uid, mode, size } = await file.stat();
  if (uid !== (process.getuid?.() ?? uid)) return false;
  if (process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0) return false;
  if (size <= DIGEST_BYTES) return false;
  const stored = Buffer.alloc(DIGEST_BYTES);
  await file.read(stored, 0, DIGEST_BYTES, 0);
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ start: DIGEST_BYTES, autoClose: false })) hash.update(chunk);
  return hash.digest().equals(stored);
}

/** Writes a file atomically: readers see either the old or the new content. */
async function makeSnapshot(path: string, startMaker: () => GuestCarrier): Promise<void> {
  const memory = await takeSnapshot(startMaker());
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(createHash('sha256').update(memory).digest());
      await file.writeFile(memory);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function takeSnapshot({ stream, kill, ended }: GuestCarrier): Promise<Buffer> {
  const watchdog = setTimeout(kill, MAKE_TIMEOUT_MS);
  try {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of stream) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_SNAPSHOT_BYTES) throw new Error(`it has more than ${MAX_SNAPSHOT_BYTES} bytes`);
    }
    const end = await ended;
    if (end.error) throw end.error;
    if (end.code !== 0 || bytes === 0) throw new Error(`its process ended with ${endText(end)}`);
    return Buffer.concat(parts);
  } finally {
    clearTimeout(watchdog);
    kill();
  }
}

async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await lstat(path);
    if (mtimeMs < Date.now() - UNUSED_MS) await rm(path, { force: true });
  }
}
