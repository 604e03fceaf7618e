import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, Postgres } from '@toolwright/storage/internal';
import type { WarningLog } from '../../telemetry/log.ts';
import type { ReadableFiles } from '../files.ts';
import { folderContents } from './contents.ts';
import { openVersionedFolder, type VersionedFolder } from './folder.ts';
import type { FolderUse, FolderUseOptions } from './folder-use.ts';
import { EMPTY_MANIFEST, type Manifest } from './manifest.ts';
import { type FolderRows, openFolderRows } from './rows.ts';
import { versionFiles } from './view.ts';

/** The place of one folder: its name for all processes, and its copy on this disk. */
export interface FolderPlace {
  /** `session/<id>`, `customer/<name>`, `execution/<id>` or `skills/<user>`. */
  readonly name: string;
  readonly root: string;
  /** The entries of the folder that are versioned. Default: all. */
  readonly top?: ReadonlySet<string>;
}

/** The folders that all processes of a cluster share. Each process has copies of those that it uses. */
export interface VersionedFolders extends AsyncDisposable {
  /** Returns the place of a copy that only this process uses, and that ends with it. */
  place(name: string, folder?: string): FolderPlace;
  /** Begins a use, which the caller ends. */
  use(place: FolderPlace, options: FolderUseOptions): FolderUse;
  /** Returns the newest version as files below `/workspace`. They need no copy and no right. */
  files(name: string): ReadableFiles;
  readonly rows: FolderRows;
  /** Deletes blobs that no version has named for an hour. Returns their number. */
  collect(): Promise<number>;
}

export interface VersionedFoldersOptions {
  /** The caller closes it. */
  readonly database: Postgres;
  /** The caller closes it. */
  readonly blobs: BlobStore;
  /** The copies are below `<dataDir>/checkouts`. */
  readonly dataDir: string;
  readonly logger: WarningLog;
  /** Milliseconds without a renewal after which another process may write. Default: 5,000. */
  readonly ttlMs?: number;
  /** Milliseconds for which the end of a use waits for a database or storage that does not answer. Default: 10,000. */
  readonly retryMs?: number;
  /** Milliseconds for which an unused blob is kept for its readers. Default: one hour. */
  readonly unusedMs?: number;
}

const DEFAULT_TTL_MS = 5_000;
const DEFAULT_RETRY_MS = 10_000;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const BEAT_MS = 1_000;
const COLLECT_INTERVAL_MS = 10 * 60 * 1_000;
/** A copy is removed from this disk after this time without a use. */
const COPY_IDLE_MS = 10 * 60 * 1_000;

interface OpenFolder {
  readonly folder: VersionedFolder;
  usedMs: number;
}

/** Opens the folders of a cluster. Connects with the first use. */
export function openVersionedFolders(options: VersionedFoldersOptions): VersionedFolders {
  const { database, blobs, dataDir, logger } = options;
  const { ttlMs = DEFAULT_TTL_MS, retryMs = DEFAULT_RETRY_MS, unusedMs = HOUR_MS } = options;
  const rows = openFolderRows(database, { ttlMs });
  const copies = join(dataDir, 'checkouts');
  const own = join(copies, randomUUID());
  const opened = new Map<string, OpenFolder>();
  const seen = createManifestCache(rows);
  let hasCopies = false;
  let collectedMs = performance.now();

  const open = ({ name, root, top }: FolderPlace): OpenFolder => {
    const known = opened.get(name) ?? {
      folder: openVersionedFolder({ name, root, top, rows, blobs, retryMs }),
      usedMs: 0,
    };
    opened.set(name, known);
    known.usedMs = performance.now();
    return known;
  };
  const collect = () => rows.collect(blobs, unusedMs);
  const beat = createBeat(async () => {
    lookAtRights(opened, rows);
    removeIdle(opened, own);
    if (performance.now() - collectedMs < COLLECT_INTERVAL_MS) return;
    collectedMs = performance.now();
    if (hasCopies) await touch(own);
    while ((await collect()) > 0);
  }, logger);
  return {
    place(name, folder = '') {
      if (!hasCopies) void removeOrphans(copies).catch(() => undefined);
      hasCopies = true;
      return { name, root: join(own, ...name.split('/'), folder) };
    },
    use(place, useOptions) {
      beat.start();
      return open(place).folder.use(useOptions);
    },
    files: (name) =>
      versionFiles({
        manifest: async () => (await seen.read(name)).manifest,
        async content(file) {
          const { id } = await seen.read(name);
          let whole = Buffer.alloc(0);
          await folderContents(blobs, id).download([file], async (_file, content) => {
            const parts: Uint8Array[] = [];
            for await (const part of content) parts.push(part);
            whole = Buffer.concat(parts);
          });
          return whole;
        },
      }),
    rows,
    collect,
    async [Symbol.asyncDispose]() {
      await beat.stop();
      await Promise.allSettled(
        [...opened.values()].map(async ({ folder }) => {
          const right = folder.right();
          if (right) await rows.release(right);
        }),
      );
      await rows.close();
      if (hasCopies) await rm(own, { recursive: true, force: true });
    },
  };
}

/** Notices lost rights, and lets others have theirs. */
function lookAtRights(opened: ReadonlyMap<string, OpenFolder>, rows: FolderRows): void {
  for (const { folder } of opened.values()) {
    const right = folder.right();
    const isWanted = right && rows.isWanted(right);
    if (isWanted !== undefined) folder.tick(isWanted);
    else if (right) folder.lost();
  }
}

/** Removes copies that nobody has used for a while. Those of executions are next to their journals, and stay with them. */
function removeIdle(opened: Map<string, OpenFolder>, own: string): void {
  const now = performance.now();
  for (const [name, each] of opened) {
    if (each.folder.isUsed()) each.usedMs = now;
    if (now - each.usedMs < COPY_IDLE_MS) continue;
    opened.delete(name);
    if (name.startsWith('execution/')) continue;
    const removed = join(own, `removed-${randomUUID()}`);
    try {
      // In one step: the next use of the folder begins with a new copy.
      renameSync(join(own, ...name.split('/')), removed);
    } catch {
      continue;
    }
    rm(removed, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Removes the copies of processes that ended long ago without a chance to do it themselves. */
async function removeOrphans(copies: string): Promise<void> {
  for (const name of await readdir(copies).catch(() => [])) {
    const path = join(copies, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

interface SeenVersion {
  readonly id: string;
  readonly version: number;
  readonly manifest: Manifest;
}

/** Manifests that are kept for readers without a copy. */
const MAX_SEEN = 100;

/** Reads the newest manifests. One that did not change is not sent again. */
function createManifestCache(rows: FolderRows) {
  const seen = new Map<string, SeenVersion>();
  return {
    async read(name: string): Promise<SeenVersion> {
      const known = seen.get(name);
      const state = await rows.read(name, known?.version ?? 0);
      seen.delete(name);
      if (!state) return { id: '', version: 0, manifest: EMPTY_MANIFEST };
      const { id, version, manifest = known?.manifest ?? EMPTY_MANIFEST } = state;
      seen.set(name, { id, version, manifest });
      for (const oldest of seen.keys()) {
        if (seen.size <= MAX_SEEN) break;
        seen.delete(oldest);
      }
      return { id, version, manifest };
    },
  };
}

/** Runs work each second, from the first start on, and never twice at once. */
function createBeat(work: () => Promise<void>, logger: WarningLog) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isFailing = false;
  const run = async () => {
    try {
      await work();
      isFailing = false;
    } catch (err) {
      // The next beat tries again.
      if (!isFailing) logger.warn({ err }, 'the rights to shared folders could not be renewed');
      isFailing = true;
    }
  };
  return {
    start() {
      timer ??= setInterval(() => {
        running ??= run().finally(() => {
          running = undefined;
        });
      }, BEAT_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
