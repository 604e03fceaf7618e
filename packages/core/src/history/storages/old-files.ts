import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import {
  type Database,
  type DataFolder,
  dataFolder,
  escapedText,
  journalKey,
  keepImported,
  openSqlite,
  preparedBy,
  requireNoFormerProcess,
  type SqlValue,
} from '@toolwright/storage/internal';
import { readJournalEnds, statusOf } from '../../journal/ends.ts';
import { isExecutionId } from '../../journal/file.ts';
import { readRecording } from '../../journal/recording/read-recording.ts';
import { fileReader } from '../../journal/storages/file.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { namesIn } from '../old-files.ts';
import { ADD_DECISION } from './decision-rows.ts';

/** The execution, the call, and the question if it is not the first one of its call. */
const DECISION = /^([\da-f-]{36})\.(\d+)(?:\.(\d+))?$/;
const MAX_BYTES = 16 * 1024 * 1024;
const SUFFIX = '.jsonl';
const ROWS_AT_ONCE = 100;
const COUNT = 'select count(*) as n from toolwright.executions';
const KNOWN = 'select id from toolwright.executions where id = any($1)';
const ADD = `insert into toolwright.executions (id, user_id, session, started_ms, status, wake_at, dry_run, owner, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`;

/**
 * Opens the tables of a data folder. The executions and decisions of a former version, or of a lost file, become rows first. A process that
 * dies is continued by the next. Statements reject with `CONFIG_INVALID` and `STORE_UNAVAILABLE`.
 */
export function openState(dataDir: string): Database {
  const folders = dataFolder(dataDir);
  const database = openSqlite(folders.state);
  return preparedBy(database, async () => {
    requireNoFormerProcess(dataDir);
    await importDecisions(dataDir, database);
    await importExecutions(dataDir, folders, database);
  });
}

/** Returns the ids of the journals in a folder. */
export async function journalIds(folder: string): Promise<string[]> {
  return (await namesIn(folder))
    .flatMap((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : []))
    .filter(isExecutionId);
}

async function importDecisions(dataDir: string, database: Database): Promise<void> {
  const folder = join(dataDir, 'decisions');
  const names = await namesIn(folder);
  if (names.length === 0) return;
  for (const name of names) {
    const [, id, call = '', question = '1'] = DECISION.exec(name) ?? [];
    // Another process may have moved the folder.
    const content = id && (await readRegularText(join(folder, name), MAX_BYTES).catch(() => undefined));
    if (content) await database.write(ADD_DECISION, [id, call, question, content, false], { isFlushed: true });
  }
  await keepImported(dataDir, 'decisions');
}

/** Adds the rows of journals that have none: of a former version, of a backup that was made meanwhile, or of a lost file. */
async function importExecutions(dataDir: string, folders: DataFolder, database: Database): Promise<void> {
  const ids = await journalIds(folders.executions);
  if (Number((await database.read(COUNT))[0]?.n) !== ids.length) {
    for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
      const part = ids.slice(at, at + ROWS_AT_ONCE);
      const known = new Set((await database.read(KNOWN, [part])).map(({ id }) => id));
      const rows = await Promise.all(part.filter((id) => !known.has(id)).map((id) => rowOf(id, folders)));
      await database.transaction(async (query) => {
        for (const row of rows) if (row) await query(ADD, row);
      });
    }
  }
  if ((await namesIn(join(dataDir, 'history'))).length === 0) return;
  await keepImported(dataDir, 'history');
  for (const end of ['', '-wal', '-shm']) await rm(join(dataDir, `executions.db${end}`), { force: true });
}

/** Returns the row of a journal; undefined for one whose start cannot be read. */
async function rowOf(id: string, folders: DataFolder): Promise<SqlValue[] | undefined> {
  const journals = fileReader(folders.executions);
  const ends = await readJournalEnds(journals, id, 'head');
  if (!ends?.start) return undefined;
  const { start, suspension, changedMs } = ends;
  const { user = DEFAULT_USER, session, dryRun = false, at } = start;
  const status = statusOf(ends);
  // The last process that has continued it is not in the first line.
  const owner = status === null ? await ownerOf(id, folders).catch(() => start.owner) : undefined;
  const place = [escapedText(user), session === undefined ? null : escapedText(session), Date.parse(at)];
  return [id, ...place, status, suspension?.wakeMs ?? null, dryRun, owner ?? null, Math.floor(changedMs)];
}

async function ownerOf(id: string, { executions, journalKey: keyFile }: DataFolder): Promise<string | undefined> {
  return (await readRecording(fileReader(executions), id, journalKey(keyFile))).owner;
}
