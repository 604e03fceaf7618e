import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestPostgres } from '../fixtures/postgres.ts';

/** How long executions stood still whose process was killed or paused, from then until another process continued them. */
export interface Recovery {
  /** Executions whose process was killed. */
  readonly killed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest one whose process was paused: nobody can know that it does not work, until its lease expires. */
  readonly pausedMs: number;
}

/** A process that was killed or paused. */
export interface Fault {
  readonly kind: 'kill' | 'pause';
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** A process that began or continued an execution. */
export interface Run {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

// A suspended execution waits for a person or a time, and any process goes on with it. A worker or an owner that was killed before its
// first line is a second fault, not a longer recovery.
const RUNS = `select json_agg(json_build_object(
    'pid', (line::json->'host'->>'pid')::int, 'atMs', extract(epoch from added_at) * 1000
  ) order by l.number)
  from toolwright.journal_lines l join toolwright.executions e on e.id = l.execution left join toolwright.work w on w.id = e.id
  where line ~ '^{"entry":"(start|resume)"' and not exists (
    select from toolwright.journal_lines s where s.day = l.day and s.execution = l.execution and s.line like '{"entry":"suspend"%'
  ) group by execution having count(*) > 1 and max(e.fence) = count(*) and coalesce(max(w.fence), count(*)) = count(*)`;
/** The executions that stood still for longest, with the lines before and after, and the work of the queue. */
export const WORST = `with lines as (
    select execution, line, lag(line) over journal as before, added_at, added_at - lag(added_at) over journal as pause
    from toolwright.journal_lines window journal as (partition by execution order by number)
  )
  select l.execution, l.pause, l.added_at, left(l.before, 200) as before, left(l.line, 200) as line, w.*
  from lines l left join (select id, attempts, fence, lost_at, ready_at, submitted_at, ended_at from toolwright.work) w on w.id = l.execution
  where l.line like '{"entry":"resume"%' and l.before not like '{"entry":"suspend"%' order by l.pause desc limit 8`;

/** Reads the runs of executions in a database. */
export function databaseRecovery(postgres: TestPostgres, store: string, faults: readonly Fault[]): Recovery {
  const rows = postgres.sql(store, RUNS).split('\n').filter(Boolean);
  return recoveryOf(
    rows.map((row): Run[] => JSON.parse(row)),
    faults,
  );
}

/** Reads the runs of executions in a folder of journals. `wrongBy` returns the milliseconds by which the clock of a process is wrong. */
export function folderRecovery(folder: string, faults: readonly Fault[], wrongBy: (pid: number) => number): Recovery {
  const journals = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const texts = journals.map((name) => readFileSync(join(folder, name), 'utf8'));
  const runs = texts
    .filter((text) => !text.includes('\n{"entry":"suspend"'))
    .map((text) => text.split('\n').filter((line) => /^\{"entry":"(?:start|resume)"/.test(line)))
    .map((lines) => lines.map((line) => JSON.parse(line)))
    .map((entries) => entries.map(({ at, host: { pid } }) => ({ pid, atMs: Date.parse(at) - wrongBy(pid) })));
  return recoveryOf(runs, faults);
}

function recoveryOf(executions: readonly (readonly Run[])[], faults: readonly Fault[]): Recovery {
  const moves = executions.flatMap((runs) =>
    runs.slice(1).flatMap(({ atMs }, index) => {
      const before = runs[index];
      const fault = faults.findLast((each) => each.pid === before?.pid && each.atMs <= atMs);
      return before && fault ? [{ kind: fault.kind, ms: atMs - Math.max(fault.atMs, before.atMs) }] : [];
    }),
  );
  const timesOf = (kind: Fault['kind']) => moves.filter((move) => move.kind === kind).map(({ ms }) => ms);
  const sorted = timesOf('kill').sort((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
  return { killed: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), pausedMs: Math.max(0, ...timesOf('pause')) };
}
