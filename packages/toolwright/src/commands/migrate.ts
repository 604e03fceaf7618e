import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { findConfig, loadConfig, parseConfig } from '@toolwright/core/config';
import { type CopiedState, copyStore, countLivingOwners, openStore } from '@toolwright/core/internal';

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

/** A store by its name, and the data folder of its processes. */
interface Place {
  readonly store: string;
  readonly dataDir?: string;
}

const URL_OF_STORE = /^(rediss?|postgres(ql)?):\/\//;

/** Copies all entries of a store to another one. */
export async function migrate(args: MigrateArguments, output: Output): Promise<number> {
  const { words, to, overwrite, json } = args;
  if (words.length > 0) throw new UsageError(`"migrate" has no argument ${JSON.stringify(words[0])}.`);
  if (to === undefined || !URL_OF_STORE.test(to))
    throw new UsageError('"migrate" requires --to STORE: a postgres:// or redis:// URL.');
  const place = sourceOf(args);
  if (place.store === to) throw new UsageError('The source and the target are the same store.');
  requireStopped(place);
  await using from = openStore(place.store, place.dataDir ?? '');
  await using target = openStore(to, '');
  const copied = await copyStore(from, target, { overwrite });
  output.out(json ? JSON.stringify(copied) : textOf(copied, from.name, target.name));
  const keys = 'master.key and journal.key of the data folder';
  output.err(`Set TOOLWRIGHT_STORE to the target. Every machine that uses it needs the same keys: copy ${keys} there.`);
  return EXIT.completed;
}

function sourceOf({ from: [from, ...more] = [], config }: MigrateArguments): Place {
  if (more.length > 0) throw new UsageError('Pass --from once: one store is copied.');
  if (from !== undefined && URL_OF_STORE.test(from)) return { store: from };
  if (from !== undefined) return folderOf(resolve(from));
  const path = findConfig({ path: config });
  const { store, dataDir } = path === undefined ? parseConfig({}) : loadConfig({ path });
  if (store === 'memory') throw new UsageError('The store of the configuration is "memory": it has nothing to copy.');
  return store === 'sqlite' ? folderOf(dataDir) : { store, dataDir };
}

function folderOf(dataDir: string): Place {
  // Opening it would create an empty one.
  if (existsSync(join(dataDir, 'store.db'))) return { store: 'sqlite', dataDir };
  throw new UsageError(`There is no store in ${dataDir}: it has no file store.db. Pass --from DIR.`);
}

function requireStopped({ dataDir }: Place): void {
  const count = dataDir === undefined ? 0 : countLivingOwners(dataDir);
  if (count === 0) return;
  const message = `${count} ${count === 1 ? 'process works' : 'processes work'} in the data folder ${dataDir}. Stop all of them, then run this again.`;
  throw new UsageError(message);
}

function textOf({ namespaces, entries, bytes }: CopiedState, from: string, to: string): string {
  return `Copied ${entries} entries (${bytes} bytes) of ${namespaces} namespaces from ${from} to ${to}.`;
}
