import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Keyring, loadKeyring, MASTER_KEY_VARIABLE, seal, unseal } from '@toolwright/pii/internal';
import { createOnce, dataFolder, type Postgres } from '@toolwright/storage/internal';
import { ToolwrightError } from '../errors.ts';

export interface ClusterKeyOptions {
  readonly database: Postgres;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The keys that all processes of a cluster share. */
export interface ClusterKeys {
  /** Stores the current master key of this process as that of the cluster, after all values were encrypted with it. */
  rotated(): Promise<void>;
}

/** The keys of the cluster in its database: ids, which are keyed hashes, and one encrypted key. */
interface Stored {
  readonly masterId: string;
  readonly journalId: string;
  readonly sealed: Buffer;
}

const KEY_BYTES = 32;
const PLACE = ['cluster key', 'journals'];
const ID_LABEL = 'toolwright journal key id';
const READ = 'select master_key, journal_key, sealed_journal_key from toolwright.cluster_keys';
const ADD =
  'insert into toolwright.cluster_keys (master_key, journal_key, sealed_journal_key) values ($1, $2, $3) on conflict do nothing';
const ROTATE = 'update toolwright.cluster_keys set master_key = $1, sealed_journal_key = $2 where master_key = $3';

/**
 * Checks that this process has the keys of its cluster. The first process stores them: of the master key an id, and the key of journals
 * encrypted with the master key. Every other process needs the same master key, and receives the key of journals as `journal.key` in its
 * data folder. Raises `CONFIG_INVALID` for other keys, and `STORE_UNAVAILABLE`.
 */
export async function joinCluster(options: ClusterKeyOptions): Promise<ClusterKeys> {
  const { database, dataDir, env } = options;
  const master = join(dataDir, 'master.key');
  const journal = dataFolder(dataDir).journalKey;
  let stored = await read(database);
  if (stored === undefined) {
    const { current } = loadKeyring({ env, file: master });
    const key = keyIn(journal) ?? randomBytes(KEY_BYTES);
    // Of several processes that start at once, the first one decides.
    await database.write(ADD, [current.id.toString('hex'), idOf(key), seal(current, PLACE, key)]);
    stored = (await read(database)) as Stored;
  }
  const keyring = ringOf(stored, options, master);
  const key = journalKeyOf(stored, keyring);
  const found = keyIn(journal);
  if (found === undefined) createOnce(journal, key);
  else if (!found.equals(key)) throw otherJournalKey(journal, database.address);
  return {
    async rotated() {
      const now = (await read(database)) ?? stored;
      const { current } = ringOf(now, options, master);
      const sealed = seal(current, PLACE, key);
      await database.write(ROTATE, [current.id.toString('hex'), sealed, now.masterId]);
    },
  };
}

async function read(database: Postgres): Promise<Stored | undefined> {
  const [row] = await database.read(READ);
  if (row === undefined) return undefined;
  return {
    masterId: String(row.master_key),
    journalId: String(row.journal_key),
    sealed: Buffer.from(row.sealed_journal_key as Buffer),
  };
}

/** Returns the master keys of this process. Raises `CONFIG_INVALID` if that of the cluster is not among them. */
function ringOf({ masterId }: Stored, { database, env }: ClusterKeyOptions, file: string): Keyring {
  const fix = `Set ${MASTER_KEY_VARIABLE} to the key of the other processes, or copy their master.key to ${file}.`;
  // A new key would be created here, which nobody needs.
  if (!env[MASTER_KEY_VARIABLE]?.trim() && !existsSync(file)) {
    const message = `This process has no master key, and the cluster at ${database.address} uses the key ${masterId}. ${fix}`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const keyring = loadKeyring({ env, file });
  if (keyring.byId.has(masterId)) return keyring;
  const own = [...keyring.byId.keys()].join(', ');
  const message = `The cluster at ${database.address} uses the master key ${masterId}, and this process has ${own}. ${fix} For a new key, keep the old one in TOOLWRIGHT_OLD_MASTER_KEYS until "toolwright pii rotate" has run.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function journalKeyOf({ masterId, journalId, sealed }: Stored, keyring: Keyring): Buffer {
  const master = keyring.byId.get(masterId) ?? keyring.current;
  const key = unseal(master, PLACE, sealed);
  if (idOf(key) === journalId) return key;
  const message = 'The table toolwright.cluster_keys was changed. Restore the database from a backup.';
  throw new ToolwrightError('STORE_UNAVAILABLE', message);
}

function keyIn(path: string): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  const key = readFileSync(path);
  if (key.length === KEY_BYTES) return key;
  throw new ToolwrightError('CONFIG_INVALID', `${path} is not a key of ${KEY_BYTES} bytes. Move it away.`);
}

function otherJournalKey(path: string, address: string): ToolwrightError {
  const message = `${path} is another key than that of the cluster at ${address}. Move it away: the next start receives the key of the cluster. Executions that were recorded with the old key cannot continue here.`;
  return new ToolwrightError('CONFIG_INVALID', message);
}

/** Returns the id of a key, from which nobody can compute the key. */
function idOf(key: Buffer): string {
  return createHmac('sha256', key).update(ID_LABEL).digest('hex').slice(0, 16);
}
