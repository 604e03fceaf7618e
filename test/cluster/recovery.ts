import type { TestPostgres } from '../fixtures/postgres.ts';

/** How long executions stood still whose process died. */
export interface Recovery {
  /** Executions that another process continued. */
  readonly executions: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

// A program of the load never waits by itself, except for an approval: then the journal has an entry `suspend`.
const GAPS = `with lines as (
    select execution, line, extract(epoch from added_at - lag(added_at) over (partition by execution order by number)) * 1000 as gap
    from toolwright.journal_lines
  ),
  moved as (
    select l.execution, max(l.gap) as gap from lines l join toolwright.executions e on e.id = l.execution
    where e.fence > 1 group by l.execution having not bool_or(l.line like '{"entry":"suspend"%')
  )
  select count(*), coalesce(percentile_disc(0.5) within group (order by gap), 0), coalesce(percentile_disc(0.99) within group (order by gap), 0)
  from moved`;

/** Reads the longest pause of each execution that has changed its owner from the times of its journal. */
export function recoveryOf(postgres: TestPostgres, store: string): Recovery {
  const [executions = 0, p50Ms = 0, p99Ms = 0] = postgres.sql(store, GAPS).split('|').map(Number);
  return { executions, p50Ms, p99Ms };
}
