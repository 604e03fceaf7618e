import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { APPLIED_CHANGES, type SharedPlaces } from '@toolwright/core/internal';
import { openStore } from '@toolwright/storage';
import { type CopiedState, copyStore, isClusterStore } from '@toolwright/storage/internal';
import { configuredState } from './configured-state.ts';
import { type BackupFile, copyFolder } from './files.ts';
import { AUDIT, DATA, KEY_FILES, type Manifest, readManifest, SHARED } from './manifest.ts';
import { reportCopied } from './progress.ts';
import { importShared } from './shared-state.ts';

/** The arguments of `toolwright restore`. */
export interface RestoreArguments {
  readonly words: readonly string[];
  readonly config?: string;
  readonly json: boolean;
}

/** Copies a backup into the data folder and the store of the configuration, which must be empty. */
export async function restore({ words, config, json }: RestoreArguments, output: Output): Promise<number> {
  const [source, ...more] = words;
  if (source === undefined || more.length > 0) throw new UsageError('"restore" requires one folder: DIR.', 'restore');
  const folder = resolve(source);
  const manifest = await readManifest(folder);
  const { store, dataDir, blobs } = await configuredState(config);
  await requireEmpty(dataDir);
  if (manifest.hasStore && store === 'memory')
    throw new UsageError('The backup has a store, and that of the configuration is "memory". Set TOOLWRIGHT_STORE.');
  // Everything is checked before anything is in its place.
  const part = `${resolve(dataDir)}.restore`;
  await rm(part, { recursive: true, force: true });
  const files = await copyFolder(join(folder, DATA), part, { onFile: reportCopied(output, 'files') });
  requireSame(files, manifest, folder);
  const copied = manifest.hasStore ? await copyStoreFrom(folder, store, part) : undefined;
  if (isClusterStore(store)) await moveShared(part, { store, blobs }, output);
  // Executions of a data folder find all of their changes there.
  await rm(join(part, APPLIED_CHANGES), { force: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(part)) await rename(join(part, name), join(dataDir, name));
  await rm(part, { recursive: true });
  const summary = { folder: dataDir, files: files.length, entries: copied?.entries ?? 0, backupOf: manifest.createdAt };
  const text = `Restored ${summary.files} files and ${summary.entries} entries of the backup of ${manifest.createdAt} to ${dataDir}.`;
  output.out(json ? JSON.stringify(summary) : text);
  const missing = KEY_FILES.filter((name) => !existsSync(join(dataDir, name)));
  if (missing.length > 0)
    output.err(`Copy ${missing.join(' and ')} to ${dataDir} before you start Toolwright: the backup has no keys.`);
  return EXIT.completed;
}

/** Moves the rest of a backup to a store that has it instead of the data folder. */
async function moveShared(part: string, places: SharedPlaces, output: Output): Promise<void> {
  await importShared(part, places, { output });
  for (const name of await readdir(part))
    if (SHARED.test(name) || name === AUDIT) await rm(join(part, name), { recursive: true });
}

async function requireEmpty(dataDir: string): Promise<void> {
  const entries = existsSync(dataDir) ? await readdir(dataDir) : [];
  const [other] = entries.filter((name) => !KEY_FILES.includes(name));
  if (other === undefined) return;
  const message = `The data folder ${dataDir} is not empty: it has ${other}. Move it away, or set TOOLWRIGHT_DATA_DIR to a new folder.`;
  throw new UsageError(message);
}

function requireSame(copied: readonly BackupFile[], { files }: Manifest, folder: string): void {
  const inOrder = (all: readonly BackupFile[]) => [...all].sort((one, other) => (one.path < other.path ? -1 : 1));
  if (isDeepStrictEqual(inOrder(copied), inOrder(files))) return;
  const found = new Map(copied.map((file) => [file.path, file]));
  const expected = new Map(files.map((file) => [file.path, file]));
  const wrong = [...new Set([...found.keys(), ...expected.keys()])].filter(
    (path) => found.get(path)?.sha256 !== expected.get(path)?.sha256,
  );
  const message = `${wrong.length} files of ${folder} are missing, changed or new since the backup, first ${wrong[0]}. Nothing was restored. Use another backup.`;
  throw new UsageError(message);
}

async function copyStoreFrom(folder: string, store: string, part: string): Promise<CopiedState> {
  await using from = openStore('sqlite', folder);
  await using to = openStore(store, part);
  return await copyStore(from, to);
}
