import { prepared } from '@toolwright/core/internal';

/** The columns of {@link WorkOutcome}. */
const OUTCOME = 'id, state, is_cancelled, asked, result';

export const SUBMIT = prepared('select toolwright.submit_work($1, $2, $3, $4, $5, $6, $7, $8) as result');
// The disk is not waited for, so that the locks of users are short. A crash of the database may forget a claim: the work is ready again.
// A program sends nothing before the commit of its journal's start, which is safe only together with this one.
export const CLAIM =
  prepared(`with commit as materialized (select set_config('synchronous_commit', 'off', true) as mode)
  select id, kind, request, fence, attempts, is_cancelled,
  extract(epoch from clock_timestamp() - ready_at)::float8 * 1000 as waited_ms,
  extract(epoch from clock_timestamp() - lost_at)::float8 * 1000 as lost_ms
  from commit, toolwright.claim_work($1, $2, $3, $4, $5, $6) where commit.mode = 'off'`);
// An end does not wait for the disk: the journal or the transcript has it too. After a crash of the database that forgot it, the lease
// expires, and the next run finds the end there.
export const LEAVE = prepared(`with commit as materialized (
    select set_config('synchronous_commit', case when $4::text = 'ended' then 'off' else current_setting('synchronous_commit') end, true)
      as mode
  )
  select toolwright.leave_work($1, $2, $3, $4::text, $5, $6, $7) as result from commit where commit.mode is not null`);
export const ASK = `update toolwright.work set asked = asked + 1
  where id = $1 and worker = $2 and fence = $3 and state = 'running'`;
export const WAKE = 'select toolwright.wake_work($1) as result';
export const CANCEL = 'select toolwright.cancel_work($1, $2) as result';
export const REOPEN = 'select toolwright.reopen_work($1, $2, $3, $4, $5::integer) as result';
export const OUTCOMES = prepared(`select ${OUTCOME} from toolwright.work where id = any($1::uuid[])`);
export const FIND = `select ${OUTCOME}, request, submitted_at, ended_at from toolwright.work where id = $1 and user_id = $2`;
export const REMOVE = `delete from toolwright.work where id = $1 and user_id = $2 and state = 'ended'`;
export const LEAD = prepared(`select toolwright.take_lead('work', $1, $2) as result`);
export const REVIVE = prepared('select toolwright.revive_work($1) as result');
export const READY = prepared(
  `select id from toolwright.work where state = 'ready' order by priority, number limit $1`,
);
// Suspended executions whose time has come or that have a new decision, and those whose owner died within the last day. Work that ended
// later has tried it already.
export const UNQUEUED = `with due as (
    select id, user_id, session, wake_at as since from toolwright.executions
      where status = 'suspended' and wake_at <= clock_timestamp()
    union all
    select e.id, e.user_id, e.session, d.added_at from toolwright.decisions d join toolwright.executions e on e.id = d.execution
      where not d.is_applied and e.status = 'suspended'
    union all
    select id, user_id, session, coalesce(expires_at, changed_at) from toolwright.executions
      where status is null and not dry_run and (owner is null or expires_at <= clock_timestamp())
        and coalesce(expires_at, changed_at) > clock_timestamp() - interval '1 day'
  )
  select distinct due.id::text as id, due.user_id, due.session from due left join toolwright.work w on w.id = due.id
    where w.id is null or (w.state = 'ended' and w.ended_at < due.since) limit $1`;
export const PURGE = prepared('select toolwright.purge_work($1)');
export const COUNTS = `select
  (select count(*) from toolwright.work where state = 'ready')::float8 as ready,
  (select count(*) from toolwright.work where state = 'running')::float8 as running,
  (select count(*) from toolwright.work where state = 'waiting')::float8 as waiting,
  (select extract(epoch from clock_timestamp() - min(ready_at))::float8 * 1000
    from toolwright.work where state = 'ready') as oldest_ready_ms,
  (select extract(epoch from clock_timestamp() - min(renewed_at))::float8 * 1000
    from toolwright.work where state = 'running') as lease_age_ms`;
