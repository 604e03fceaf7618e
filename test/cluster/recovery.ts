import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { TestPostgres } from '../fixtures/postgres.ts';

/** How long executions stood still whose process died. */
export interface Recovery {
  /** Executions that another process continued. */
  readonly executions: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

// A program of the load never waits by itself, except for an approval or its own sleep: then the journal has an entry `suspend`.
const MOVED = `with lines as (
    select execution, line, lag(line) over journal as before, added_at, added_at - lag(added_at) over journal as pause
    from toolwright.journal_lines window journal as (partition by execution order by number)
  ),
  gaps as (select *, extract(epoch from pause) * 1000 as gap from lines),
  moved as (
    select l.execution, max(l.gap) as gap from gaps l join toolwright.executions e on e.id = l.execution
    where e.fence > 1 group by l.execution having not bool_or(l.line like '{"entry":"suspend"%')
  )`;
const GAPS = `${MOVED} select count(*), coalesce(percentile_disc(0.5) within group (order by gap), 0), coalesce(percentile_disc(0.99) within group (order by gap), 0)
  from moved`;
/** The executions that stood still for longest, with the lines before and after, and the work of the queue. */
export const WORST = `${MOVED}
  select l.execution, l.gap, l.added_at, left(l.before, 200) as before, left(l.line, 200) as line, w.*
  from moved m join gaps l on l.execution = m.execution and l.gap = m.gap
    left join (select id, attempts, fence, lost_at, ready_at, submitted_at, ended_at from toolwright.work) w on w.id = l.execution
  order by l.gap desc limit 8`;

/** Reads the longest pause of each execution that has changed its owner from the times of its journal. */
export function databaseRecovery(postgres: TestPostgres, store: string): Recovery {
  const [executions = 0, p50Ms = 0, p99Ms = 0] = postgres.sql(store, GAPS).split('|').map(Number);
  return { executions, p50Ms, p99Ms };
}

/**
 * Watches the journals in a folder. Returns a function that reads the longest pause of each execution that has changed its owner, by the times
 * at which its file grew.
 */
export function watchRecovery(folder: string): () => Recovery {
  // The first execution creates it.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const grown = new Map<string, number>();
  const gaps = new Map<string, number>();
  const watching = watch(folder, (_event, name) => {
    if (!name?.endsWith('.jsonl')) return;
    const now = performance.now();
    gaps.set(name, Math.max(gaps.get(name) ?? 0, now - (grown.get(name) ?? now)));
    grown.set(name, now);
  });
  return () => {
    watching.close();
    const moved = readdirSync(folder).filter((name) => {
      const journal = name.endsWith('.jsonl') ? readFileSync(join(folder, name), 'utf8') : '';
      return journal.includes('\n{"entry":"resume"') && !journal.includes('\n{"entry":"suspend"');
    });
    const sorted = moved.map((name) => gaps.get(name) ?? 0).sort((one, other) => one - other);
    const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
    return { executions: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
  };
}
