import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { joinCluster } from '@toolwright/core/internal';
import { openStore } from '@toolwright/storage';
import { type CopiedState, copyStore, isClusterStore, openPostgres, STATE_FILE } from '@toolwright/storage/internal';
import { configuredState, hasStoreFile, requireStopped, STORE_FILE } from '../backup/configured-state.ts';
import { KEY_FILES } from '../backup/manifest.ts';
import { type CopiedFolder, importShared, requireIdleCluster } from '../backup/shared-state.ts';

/** The arguments of `toolwright migrate`. */
export interface MigrateArguments {
  readonly words: readonly string[];
  readonly to?: string;
  /** At most one. */
  readonly from?: readonly string[];
  readonly overwrite: boolean;
  readonly config?: string;
  readonly json: boolean;
}

/** A store by its name, and the data folder of its processes where it is known. */
interface Place {
  readonly store: string;
  readonly dataDir?: string;
}

const URL_OF_STORE = /^(rediss?|postgres(ql)?):\/\//;

/** The parts of a data folder that a store in PostgreSQL has instead. */
const PARTS = ['executions', 'sessions', 'tasks', STATE_FILE];
const NOTHING = { namespaces: 0, entries: 0, bytes: 0 };

/** Copies all entries of a store to another one, and the rest of a data folder to PostgreSQL. */
export async function migrate(args: MigrateArguments, output: Output): Promise<number> {
  const { words, to, overwrite, json } = args;
  if (words.length > 0) throw new UsageError(`"migrate" has no argument ${JSON.stringify(words[0])}.`);
  if (to === undefined || !URL_OF_STORE.test(to))
    throw new UsageError('"migrate" requires --to STORE: a postgres:// or redis:// URL.');
  const place = await sourceOf(args);
  if (place.store === to) throw new UsageError('The source and the target are the same store.');
  const { store, dataDir } = place;
  if (dataDir !== undefined) await requireStopped(dataDir);
  const movesFolder = dataDir !== undefined && !isClusterStore(store) && isClusterStore(to);
  await using target = openStore(to, '');
  if (movesFolder) {
    await requireIdleCluster(to);
    await shareKeys(dataDir, to);
  }
  const copied = await copyEntries(place, target, overwrite);
  const places = { store: to, blobs: (await configuredState(args.config)).blobs };
  const moved = movesFolder ? await importShared(dataDir, places, { overwrite, output }) : undefined;
  output.out(json ? JSON.stringify({ ...copied, ...moved }) : textOf(copied, moved, { from: store, to: target.name }));
  const keys = 'master.key and journal.key of the data folder';
  const redis = isClusterStore(to)
    ? ' A cluster works without Redis; TOOLWRIGHT_REDIS takes load from PostgreSQL.'
    : '';
  output.err(
    `Set TOOLWRIGHT_STORE to the target. Every machine that uses it needs the same keys: copy ${keys} there.${redis}`,
  );
  return EXIT.completed;
}

/** A data folder that never had a key or a login has no store. */
async function copyEntries(
  { store, dataDir = '' }: Place,
  to: ReturnType<typeof openStore>,
  overwrite: boolean,
): Promise<CopiedState> {
  if (store === 'sqlite' && !hasStoreFile(dataDir)) return NOTHING;
  await using from = openStore(store, dataDir);
  return await copyStore(from, to, { overwrite });
}

/**
 * Makes the keys of a data folder those of the cluster: nobody continues its executions without them. Raises `CONFIG_INVALID` for a
 * cluster with other keys.
 */
async function shareKeys(dataDir: string, to: string): Promise<void> {
  const hasKey = (name: string) => existsSync(join(dataDir, name));
  if (!KEY_FILES.every((name) => hasKey(name) || (name === 'master.key' && process.env.TOOLWRIGHT_MASTER_KEY))) return;
  await using database = openPostgres({ url: to });
  await joinCluster({ database, dataDir, env: process.env });
}

async function sourceOf({ from: [from, ...more] = [], config }: MigrateArguments): Promise<Place> {
  if (more.length > 0) throw new UsageError('Pass --from once: one store is copied.');
  if (from !== undefined && URL_OF_STORE.test(from)) return { store: from };
  if (from !== undefined) return folderOf(resolve(from));
  const state = await configuredState(config);
  if (state.store === 'memory')
    throw new UsageError('The store of the configuration is "memory": it has nothing to copy.');
  return state.store === 'sqlite' ? folderOf(state.dataDir) : state;
}

function folderOf(dataDir: string): Place {
  if (hasStoreFile(dataDir) || PARTS.some((name) => existsSync(join(dataDir, name))))
    return { store: 'sqlite', dataDir };
  throw new UsageError(`There is no store in ${dataDir}: it has no file ${STORE_FILE}. Pass --from DIR.`);
}

function textOf(
  { namespaces, entries, bytes }: CopiedState,
  moved: CopiedFolder | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const text = `Copied ${entries} entries (${bytes} bytes) of ${namespaces} namespaces from ${from.replace(/:.*/s, '')} to ${to}.`;
  if (!moved) return text;
  const { executions, tasks, sessions, folders, auditRecords, tables } = moved;
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  if (rows + folders + auditRecords === 0) return text;
  return `${text}\nCopied ${executions} executions, ${tasks} tasks, ${sessions} sessions, ${folders} folders of files and skills, and ${auditRecords} audit records.\nRead all ${rows} rows again: source and target have the same.`;
}
