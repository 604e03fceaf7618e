import { appendFile, mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CopiedCounts,
  type CopiedPart,
  type CopiedRow,
  type CopiedTable,
  type CopyChoices,
  copyRows,
  dataFolder,
  openPostgres,
  openSqlite,
  tablePart,
} from '@toolwright/storage/internal';
import { readJournalEnds, statusOf } from '../../journal/ends.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import { fileReader } from '../../journal/storages/file.ts';
import { postgresReader } from '../../journal/storages/postgres-reader.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { indexRows } from '../listing/index-rows.ts';
import { APPLY } from './decision-rows.ts';
import { journalIds, openState } from './old-files.ts';

/** The numbers of a copy of executions. */
export interface CopiedExecutions {
  readonly executions: number;
  /** Journals that were left out, because their first line cannot be read. */
  readonly unreadable: number;
  readonly copied: CopiedCounts;
}

const EXECUTIONS: CopiedTable = {
  name: 'executions',
  columns: {
    id: 'uuid',
    user_id: 'text',
    session: 'text',
    started_ms: 'number',
    status: 'text',
    wake_at: 'time',
    dry_run: 'boolean',
    changed_at: 'time',
  },
  order: 'id',
  replaced: ['fence = executions.fence + 1', 'owner = null', 'expires_at = null', 'cancel_at = null', 'bytes = 0'],
};
const decisions = tablePart({
  name: 'decisions',
  columns: {
    execution: 'uuid',
    call: 'number',
    question: 'number',
    content: 'text',
    added_at: 'time',
    is_applied: 'boolean',
  },
  order: 'call, question',
});
const DECISIONS = [decisions, decisions] as const;
const PARTITION = 'select toolwright.create_partition(day) from toolwright.executions where id = $1';
const ADD_LINES = `insert into toolwright.journal_lines (day, execution, number, line, added_at)
  select e.day, e.id, $2::bigint + n.position, n.line, e.changed_at
  from toolwright.executions e, unnest($3::text[]) with ordinality as n (line, position) where e.id = $1`;
const SIZE = 'update toolwright.executions set bytes = bytes + $2 where id = $1';
const REMOVE_LINES = `delete from toolwright.journal_lines l using toolwright.executions e
  where e.id = any($1::uuid[]) and l.day = e.day and l.execution = e.id`;
const BEHIND = `insert into toolwright.unindexed_executions (id, since) values ($1, to_timestamp(0))
  on conflict (id) do update set since = excluded.since`;
// An ended execution applies no more decisions.
const ENDED = `update toolwright.decisions set is_applied = true where execution = $1
  and exists (select from toolwright.executions where id = $1 and status <> 'suspended')`;

const databaseJournals: CopiedPart = {
  name: 'journal_lines',
  read: (query, id) => linesOf(postgresReader({ read: query }), id),
  async add(query, { id = null }, rows, before) {
    if (before === 0) for (const statement of [PARTITION, BEHIND, ENDED]) await query(statement, [id]);
    const lines = rows.map(({ line }) => String(line));
    await query(ADD_LINES, [id, before, lines]);
    await query(SIZE, [id, lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0)]);
    for (const line of lines.filter((each) => each.startsWith('{"entry":"decision"'))) {
      const decision = JSON.parse(line);
      await query(APPLY, [id, decision.number, questionNumber(decision)]);
    }
  },
  remove: (query, ids) => query(REMOVE_LINES, [ids]),
};

/**
 * Copies the executions of a data folder to a database: journals as they are, histories, decisions, and the rows of lists. Nobody may use
 * either meanwhile. Suspended and interrupted executions go on in the target as in the source. Raises like {@link copyRows}.
 */
export async function importExecutions(
  dataDir: string,
  { store }: { readonly store: string },
  choices: CopyChoices = {},
): Promise<CopiedExecutions> {
  const { executions: folder } = dataFolder(dataDir);
  await using from = openState(dataDir);
  await using to = openPostgres({ url: store });
  const journals = fileReader(folder);
  const copied = await copyRows({
    ...{ from, to, ...choices },
    table: { ...EXECUTIONS, added: { day: 'text', fence: 'number' } },
    parts: [DECISIONS, [folderJournals(folder), databaseJournals]],
    prepare: async (rows) => (await Promise.all(rows.map((row) => rowOf(journals, row)))).flat(),
  });
  const index = indexRows({ database: to, journals: postgresReader(to) });
  await index.catchUp(new AbortController().signal);
  const executions = copied.executions?.rows ?? 0;
  return { executions, unreadable: (await journalIds(folder)).length - executions, copied };
}

/**
 * Copies the executions of a database into an empty folder, in the layout of a data folder: journals as they are, and decisions. No process may
 * run executions meanwhile. Raises like {@link copyRows}.
 */
export async function exportExecutions(
  { store }: { readonly store: string },
  dataDir: string,
  onCopied?: (count: number) => void,
): Promise<CopiedCounts> {
  const { executions: folder, state } = dataFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await using from = openPostgres({ url: store });
  await using to = openSqlite(state);
  const parts = [DECISIONS, [databaseJournals, folderJournals(folder)]] as const;
  return await copyRows({ from, to, table: EXECUTIONS, parts, onCopied });
}

/** The journals of a folder, which is empty before a copy. */
function folderJournals(folder: string): CopiedPart {
  return {
    name: databaseJournals.name,
    read: (_query, id) => linesOf(fileReader(folder), id),
    async add(_query, { id, changed_at }, rows) {
      const path = join(folder, `${id}.jsonl`);
      await appendFile(path, rows.map(({ line }) => `${line}\n`).join(''), { mode: 0o600 });
      const changed = new Date(Number(changed_at));
      await utimes(path, changed, changed);
    },
  };
}

async function* linesOf(journals: JournalReader, id: string): AsyncGenerator<readonly CopiedRow[]> {
  for await (const page of journals.read(id)) yield page.map((line) => ({ line }));
}

/** Returns a row with the status of its journal, which decides. Returns none for a journal whose start cannot be read. */
async function rowOf(journals: JournalReader, row: CopiedRow): Promise<CopiedRow[]> {
  const ends = await readJournalEnds(journals, String(row.id), 'head');
  if (!ends?.start) return [];
  const wakeMs = ends.suspension ? Math.round(ends.suspension.wakeMs) : null;
  // The partition of its lines. A clock may have been ahead.
  const day = new Date(Math.min(Number(row.started_ms), Date.now())).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return [{ ...row, status: statusOf(ends), wake_at: wakeMs, day, fence: 1 }];
}
