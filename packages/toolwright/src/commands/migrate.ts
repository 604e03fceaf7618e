import { resolve } from 'node:path';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { type CopiedSessions, type CopiedState, copyStore, importSessions, openStore } from '@toolwright/core/internal';
import {
  type ConfiguredState,
  configuredState,
  hasSharedSessions,
  hasStoreFile,
  requireStopped,
  STORE_FILE,
} from './configured-state.ts';

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
type Place = Pick<ConfiguredState, 'store'> & Partial<ConfiguredState>;

const URL_OF_STORE = /^(rediss?|postgres(ql)?):\/\//;

/** Copies all entries of a store to another one, and the sessions and skills of a data folder to PostgreSQL. */
export async function migrate(args: MigrateArguments, output: Output): Promise<number> {
  const { words, to, overwrite, json } = args;
  if (words.length > 0) throw new UsageError(`"migrate" has no argument ${JSON.stringify(words[0])}.`);
  if (to === undefined || !URL_OF_STORE.test(to))
    throw new UsageError('"migrate" requires --to STORE: a postgres:// or redis:// URL.');
  const place = sourceOf(args);
  if (place.store === to) throw new UsageError('The source and the target are the same store.');
  if (place.dataDir !== undefined) requireStopped(place.dataDir);
  await using from = openStore(place.store, place.dataDir ?? '');
  await using target = openStore(to, '');
  const copied = await copyStore(from, target, { overwrite });
  const sessions = await copySessions(place, to, configuredState(args.config).blobs);
  const all = { ...copied, ...sessions };
  output.out(json ? JSON.stringify(all) : textOf(all, from.name, target.name));
  const keys = 'master.key and journal.key of the data folder';
  output.err(`Set TOOLWRIGHT_STORE to the target. Every machine that uses it needs the same keys: copy ${keys} there.`);
  return EXIT.completed;
}

/** Copies sessions, workspaces and skills, which a Redis or SQLite store leaves in the data folder. */
async function copySessions({ store, dataDir }: Place, to: string, blobs: string | undefined): Promise<CopiedSessions> {
  if (dataDir === undefined || hasSharedSessions(store) || !hasSharedSessions(to)) return { sessions: 0, folders: 0 };
  return importSessions(dataDir, { store: to, blobs });
}

function sourceOf({ from: [from, ...more] = [], config }: MigrateArguments): Place {
  if (more.length > 0) throw new UsageError('Pass --from once: one store is copied.');
  if (from !== undefined && URL_OF_STORE.test(from)) return { store: from };
  if (from !== undefined) return folderOf(resolve(from));
  const state = configuredState(config);
  if (state.store === 'memory')
    throw new UsageError('The store of the configuration is "memory": it has nothing to copy.');
  return state.store === 'sqlite' ? folderOf(state.dataDir) : state;
}

function folderOf(dataDir: string): Place {
  if (hasStoreFile(dataDir)) return { store: 'sqlite', dataDir };
  throw new UsageError(`There is no store in ${dataDir}: it has no file ${STORE_FILE}. Pass --from DIR.`);
}

function textOf(copied: CopiedState & CopiedSessions, from: string, to: string): string {
  const { namespaces, entries, bytes, sessions, folders } = copied;
  const text = `Copied ${entries} entries (${bytes} bytes) of ${namespaces} namespaces from ${from} to ${to}.`;
  return sessions + folders === 0
    ? text
    : `${text}\nCopied ${sessions} sessions and ${folders} folders of files and skills.`;
}
