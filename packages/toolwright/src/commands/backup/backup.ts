import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { isUncreatable } from '@toolwright/core/internal';
import { openStore } from '@toolwright/storage';
import { type CopiedState, copySqlite, copyStore, isClusterStore, STATE_FILE } from '@toolwright/storage/internal';
import { type ConfiguredState, configuredState, hasStoreFile, requireStopped } from './configured-state.ts';
import { type BackupFile, copyFolder } from './files.ts';
import { DATA, KEY_FILES, NEVER_COPIED, SHARED, writeManifest } from './manifest.ts';
import { reportCopied } from './progress.ts';
import { exportShared, requireIdleCluster } from './shared-state.ts';

/** The arguments of `toolwright backup`. */
export interface BackupArguments {
  readonly words: readonly string[];
  /** Whether the backup has the keys too. */
  readonly keys: boolean;
  readonly config?: string;
  readonly json: boolean;
}

/** Copies the data folder and the store of the configuration into a new folder. */
export async function backup({ words, keys, config, json }: BackupArguments, output: Output): Promise<number> {
  const [target, ...more] = words;
  if (target === undefined || more.length > 0) throw new UsageError('"backup" requires one folder: DIR.', 'backup');
  const folder = resolve(target);
  const state = await configuredState(config);
  await requireStopped(state.dataDir);
  const isShared = isClusterStore(state.store);
  const queued = isShared ? await requireIdleCluster(state.store) : 0;
  if (queued > 0)
    output.err(
      `${queued} programs wait for a worker, and are not in the backup. Let the workers run them before a backup.`,
    );
  await requireNewFolder(folder, state.dataDir);
  const files = await copyFolder(state.dataDir, join(folder, DATA), {
    isLeftOut: (name) =>
      NEVER_COPIED.test(name) || (isShared && SHARED.test(name)) || (!keys && KEY_FILES.includes(name)),
    onFile: reportCopied(output, 'files'),
  });
  files.push(...(await copyTables(folder, state, output)));
  const copied = await copyStoreTo(folder, state);
  writeManifest(folder, { createdAt: new Date().toISOString(), hasStore: copied !== undefined, hasKeys: keys, files });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0) + (copied?.bytes ?? 0);
  const summary = { folder, files: files.length, entries: copied?.entries ?? 0, bytes };
  output.out(
    json
      ? JSON.stringify(summary)
      : `Copied ${summary.files} files and ${summary.entries} entries of the store (${bytes} bytes) to ${folder}.`,
  );
  if (!keys) output.err(withoutKeys(state.dataDir));
  return EXIT.completed;
}

async function requireNewFolder(folder: string, dataDir: string): Promise<void> {
  const way = relative(resolve(dataDir), folder);
  if (!way.startsWith('..')) throw new UsageError(`${folder} is in the data folder ${dataDir}. Name another folder.`);
  if (isUncreatable(folder)) throw new UsageError(`${folder} cannot be created. Name another folder.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = await readdir(folder);
  if (entries.length > 0) throw new UsageError(`${folder} is not empty. Name a new folder: no backup is replaced.`);
}

/** Copies the tables of a data folder, or the rest of a shared store in the layout of one. Thus a backup can be restored to any store. */
async function copyTables(
  folder: string,
  { store, blobs, dataDir }: ConfiguredState,
  output: Output,
): Promise<BackupFile[]> {
  const part = join(folder, 'part');
  await mkdir(part, { mode: 0o700 });
  if (isClusterStore(store)) await exportShared({ store, blobs }, part, output);
  else await copySqlite(join(dataDir, STATE_FILE), join(part, STATE_FILE));
  const files = await copyFolder(part, join(folder, DATA), { onFile: reportCopied(output, 'files'), replaces: true });
  await rm(part, { recursive: true });
  return files;
}

/** Copies the store of a configuration. Returns undefined when it has none. */
async function copyStoreTo(folder: string, { store, dataDir }: ConfiguredState): Promise<CopiedState | undefined> {
  if (store === 'memory' || (store === 'sqlite' && !hasStoreFile(dataDir))) return undefined;
  await using from = openStore(store, dataDir);
  await using to = openStore('sqlite', folder);
  return await copyStore(from, to);
}

function withoutKeys(dataDir: string): string {
  return `The backup has no keys. Keep ${KEY_FILES.join(' and ')} of ${dataDir} in another place: nobody reads encrypted values without them.`;
}
