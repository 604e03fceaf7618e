import { mkdir, open, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresReader } from '../../journal/storages/postgres-reader.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import type { Row } from '../../stores/database.ts';
import { openPostgres } from '../../stores/postgres/connection.ts';
import { openSqlite } from '../../stores/sqlite/database.ts';
import { ADD_DECISION } from './decision-rows.ts';

const PAGE = 500;
const LIST = `select id::text as name from toolwright.executions
  where $1::uuid is null or id > $1 order by id limit ${PAGE}`;
const DECISIONS = `select execution::text as name, call, question, content, is_applied from toolwright.decisions
  where execution = any($1::uuid[])`;
const NOTHING = { firstBytes: 0, lastBytes: 0 };
const RUNNING = `select
  (select count(*) from toolwright.executions where owner is not null and expires_at > clock_timestamp())::int
  + (select count(*) from toolwright.tasks where owner is not null and expires_at > clock_timestamp())::int
  + (select count(*) from toolwright.work where state = 'running' and expires_at > clock_timestamp())::int as running,
  (select count(*) from toolwright.work where kind = 'execution' and fence = 0 and state in ('ready', 'waiting'))::int as queued`;

/** Work of a cluster that is not at rest. */
export interface UnfinishedWork {
  /** Executions, tasks and works that a living process runs. */
  readonly running: number;
  /** Programs that wait for a worker, and have no journal. */
  readonly queued: number;
}

/** Counts the work of a cluster that is not at rest. Raises `STORE_UNAVAILABLE`. */
export async function countUnfinished(store: string): Promise<UnfinishedWork> {
  await using database = openPostgres({ url: store });
  const [row] = await database.read(RUNNING);
  return { running: Number(row?.running), queued: Number(row?.queued) };
}

/**
 * Copies the executions of a database into an empty folder, in the layout of a data folder: journals as they are, and decisions.
 * No process may run executions meanwhile. Returns their number. Raises `STORE_UNAVAILABLE`.
 */
export async function exportExecutions(
  { store }: { readonly store: string },
  dataDir: string,
  onCopied?: (count: number) => void,
): Promise<number> {
  await using database = openPostgres({ url: store });
  const journals = postgresReader(database);
  const folders = dataFolder(dataDir);
  await mkdir(folders.executions, { recursive: true, mode: 0o700 });
  await using state = openSqlite(folders.state);
  let count = 0;
  let last: string | null = null;
  for (;;) {
    const page: readonly Row[] = await database.read(LIST, [last]);
    for (const row of page) {
      await exportExecution(String(row.name), journals, folders.executions);
      count++;
      onCopied?.(count);
    }
    const ids = page.map(({ name }) => String(name));
    for (const { name, call, question, content, is_applied } of await database.read(DECISIONS, [ids]))
      await state.write(ADD_DECISION, [
        String(name),
        Number(call),
        Number(question),
        String(content),
        is_applied === true,
      ]);
    last = ids.at(-1) ?? null;
    if (page.length < PAGE) return count;
  }
}

async function exportExecution(id: string, journals: JournalReader, folder: string): Promise<void> {
  const path = join(folder, `${id}.jsonl`);
  await using file = await open(path, 'wx', 0o600);
  for await (const page of journals.read(id)) await file.write(`${page.join('\n')}\n`);
  const changed = new Date((await journals.ends(id, NOTHING))?.changedMs ?? 0);
  await utimes(path, changed, changed);
}
