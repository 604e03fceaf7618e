import { ToolwrightError } from '../../errors.ts';
import { type JournalEnds, readJournalEnds } from '../../journal/ends.ts';
import { endStatus } from '../../journal/history.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import { fileReader } from '../../journal/storages/file-reader.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import type { Query, Row } from '../../stores/database.ts';
import { openPostgres, type Postgres } from '../../stores/postgres/connection.ts';
import { escapedText } from '../../stores/postgres/escaped-text.ts';
import { indexRows, readRows } from '../listing/index-rows.ts';
import { ADD_DECISION } from './decision-rows.ts';
import { journalIds, openState } from './old-files.ts';

/** The numbers of a copy of executions. */
export interface CopiedExecutions {
  readonly executions: number;
  /** Journals that were left out, because their first line cannot be read. */
  readonly unreadable: number;
}

export interface ImportOptions {
  /** Whether executions that both have are replaced. Default: false, and a target with executions is refused. */
  readonly overwrite?: boolean;
  /** Called after each copied one with the number of all so far. */
  readonly onCopied?: ((count: number) => void) | undefined;
}

const ROWS_AT_ONCE = 32;
const ANY = 'select from toolwright.executions limit 1';
const FIND = `select fence::text, owner is not null and expires_at > clock_timestamp() as is_running
  from toolwright.executions where id = $1 for update`;
const REMOVE = 'select toolwright.remove_execution($1)';
const PARTITION = 'select toolwright.create_partition($1::date)';
const ADD = `insert into toolwright.executions
    (id, day, fence, user_id, session, started_ms, status, wake_at, dry_run, bytes, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8::float8 / 1000), $9, 0, to_timestamp($10::float8 / 1000))`;
const ADD_LINES = `insert into toolwright.journal_lines (day, execution, number, line, added_at)
  select $2::date, $1::uuid, $3::bigint + n.position, n.line, to_timestamp($5::float8 / 1000)
  from unnest($4::text[]) with ordinality as n (line, position)`;
const SIZE = 'update toolwright.executions set bytes = $2 where id = $1';
const DECISIONS = 'select call, question, content from toolwright.decisions where execution = $1';

/**
 * Copies the executions of a data folder to a database: journals as they are, histories, decisions, and the rows of lists. Nobody may use
 * the folder meanwhile. Suspended and interrupted executions go on in the target as in the source. Raises `CONFIG_INVALID` for a target
 * that has executions, unless `overwrite` is set; `EXECUTION_RUNNING` for one that runs in the target; and `STORE_UNAVAILABLE`.
 */
export async function importExecutions(
  dataDir: string,
  { store }: { readonly store: string },
  { overwrite = false, onCopied }: ImportOptions = {},
): Promise<CopiedExecutions> {
  await using database = openPostgres({ url: store });
  const folders = dataFolder(dataDir);
  const journals = fileReader(folders.executions);
  const ids = await journalIds(folders.executions);
  if (ids.length > 0 && !overwrite && (await database.read(ANY)).length > 0) throw notEmpty();
  const index = indexRows({ database, journals, changes: SILENT });
  await using state = openState(dataDir);
  const copied = { executions: 0, unreadable: 0 };
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const part = ids.slice(at, at + ROWS_AT_ONCE);
    for (const id of part) {
      const source = { id, journals, decisions: await state.read(DECISIONS, [id]) };
      copied[(await importExecution(database, source)) ? 'executions' : 'unreadable']++;
      onCopied?.(copied.executions);
    }
    await index.write(await readRows(journals, part));
  }
  return copied;
}

/** The target has no readers yet. */
const SILENT = { publish: () => undefined, subscribe: () => () => undefined };

interface SourceExecution {
  readonly id: string;
  readonly journals: JournalReader;
  readonly decisions: readonly Row[];
}

/** Copies one execution in one transaction. Returns false if its first line cannot be read. */
async function importExecution(database: Postgres, source: SourceExecution): Promise<boolean> {
  const { id, journals, decisions } = source;
  const ends = await readJournalEnds(journals, id, 'head');
  if (!ends?.start) return false;
  const { start, end, suspension, changedMs } = ends;
  const { user = DEFAULT_USER, session, dryRun = false } = start;
  const startedMs = Date.parse(start.at);
  const day = new Date(Math.min(startedMs, Date.now())).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const status = statusOf(ends);
  await database.transaction(async (query) => {
    const fence = await removeFormer(query, id);
    await query(PARTITION, [day]);
    const place = [escapedText(user), session ?? null, startedMs, status];
    const wakeMs = end ? null : (suspension?.wakeMs ?? null);
    await query(ADD, [id, day, fence, ...place, wakeMs, dryRun, changedMs]);
    const { bytes, applied } = await addLines(query, { id, journals, day, changedMs });
    await query(SIZE, [id, bytes]);
    for (const { call, question, content } of decisions) {
      // An ended execution applies no more decisions.
      const isApplied = end !== undefined || applied.has(`${call}.${question}`);
      await query(ADD_DECISION, [id, Number(call), Number(question), String(content), isApplied]);
    }
  });
  return true;
}

/** Returns null for an execution that runs or was interrupted. */
function statusOf({ end, suspension }: JournalEnds): string | null {
  if (end) return endStatus(end.status, end.limit);
  return suspension ? 'suspended' : null;
}

/** Removes an earlier copy. Returns the next fencing number: a former owner of the copy adds nothing more. */
async function removeFormer(query: Query, id: string): Promise<string> {
  const [found] = await query(FIND, [id]);
  if (!found) return '1';
  if (found.is_running === true) {
    const message = `Execution ${id} runs in the target. Stop all processes that use the target, then run this again.`;
    throw new ToolwrightError('EXECUTION_RUNNING', message);
  }
  await query(REMOVE, [id]);
  return String(BigInt(String(found.fence)) + 1n);
}

/** Copies the lines. Returns their bytes, and the questions whose decisions they have. */
async function addLines(
  query: Query,
  {
    id,
    journals,
    day,
    changedMs,
  }: Pick<SourceExecution, 'id' | 'journals'> & { readonly day: string; readonly changedMs: number },
): Promise<{ readonly bytes: number; readonly applied: ReadonlySet<string> }> {
  const applied = new Set<string>();
  let [count, bytes] = [0, 0];
  for await (const page of journals.read(id)) {
    await query(ADD_LINES, [id, day, count, page, changedMs]);
    count += page.length;
    for (const line of page) {
      bytes += Buffer.byteLength(line) + 1;
      if (!line.startsWith('{"entry":"decision"')) continue;
      const decision = JSON.parse(line);
      applied.add(`${decision.number}.${questionNumber(decision)}`);
    }
  }
  return { bytes, applied };
}

function notEmpty(): ToolwrightError {
  const message =
    'The target has executions already. Use an empty database, or --overwrite to replace those that both have.';
  return new ToolwrightError('CONFIG_INVALID', message);
}
