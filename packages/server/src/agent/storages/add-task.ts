import type { Query } from '@toolwright/core/internal';

/** A task without its lines. */
export interface CopiedTask {
  readonly id: string;
  readonly user: Buffer;
  readonly session: Buffer;
  readonly changedMs: number;
  /** Whether another process must continue it. */
  readonly waits: boolean;
}

export interface TaskLines {
  readonly lines: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  /** Whether it replaces a task that no process runs. Default: false. */
  readonly replaces?: boolean;
}

const ADD = `insert into toolwright.tasks (id, user_id, session_id, waits, changed_at)
  values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000)) on conflict`;
const NEW = `${ADD} do nothing returning id`;
const REPLACE = `${ADD} (id) do update set user_id = excluded.user_id, session_id = excluded.session_id, waits = excluded.waits,
    changed_at = excluded.changed_at, fence = tasks.fence + 1, owner = null, expires_at = null, cancel_requested = false
  where tasks.owner is null or tasks.expires_at <= clock_timestamp() returning id`;
const REMOVE_LINES = 'delete from toolwright.task_lines where task = $1';
const ADD_LINES = `insert into toolwright.task_lines (task, number, line)
  select $1, $2::bigint + n.position, n.line from unnest($3::text[]) with ordinality as n (line, position)`;

/** Adds a task with its lines. Returns false if it exists, or if it runs and would be replaced. */
export async function addTask(
  query: Query,
  { id, user, session, waits, changedMs }: CopiedTask,
  { lines, replaces = false }: TaskLines,
): Promise<boolean> {
  const added = await query(replaces ? REPLACE : NEW, [id, user, session, waits, changedMs]);
  if (added.length === 0) return false;
  await query(REMOVE_LINES, [id]);
  let count = 0;
  for await (const page of lines) {
    await query(ADD_LINES, [id, count, page]);
    count += page.length;
  }
  return true;
}
