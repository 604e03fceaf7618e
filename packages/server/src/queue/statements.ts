import { prepared } from '@toolwright/storage/internal';

/** The columns of the outcome of some work. */
const OUTCOME = 'id, state, is_cancelled, asked, result';
/** Ready work of the key $1 and the kinds $2, whose session has no other running work. */
const CLAIMABLE = `r.state = 'ready' and r.key_id = $1 and r.kind = any($2::text[])
  and not exists (select 1 from toolwright.work s where s.session = r.session and s.state = 'running')`;
const TURN = 'u.ready > 0 and u.running < $3';
const HELD = `id = $1 and worker = $2 and fence = $3 and state = 'running'`;
const LOST = `state = 'running' and expires_at <= clock_timestamp()`;
const DUE = `state = 'waiting' and due_at <= clock_timestamp()`;

/** Adds to the numbers of ready and running works of a user. */
export const COUNT =
  prepared(`insert into toolwright.work_users (user_id, ready, running) values ($1, $2::integer, $3::integer)
  on conflict (user_id) do update set ready = work_users.ready + excluded.ready, running = work_users.running + excluded.running`);
export const SUBMIT = prepared(`insert into toolwright.work
    (id, kind, key_id, user_id, session, priority, request, state, due_at, submitted_at, ready_at)
  values ($1, $2, $3, $4, $5, $6, $7, case when $8::float8 > 0 then 'waiting' else 'ready' end,
    clock_timestamp() + $8::float8 * interval '1 millisecond', clock_timestamp(), clock_timestamp())
  on conflict do nothing returning state`);

/** Counts a claim for the user whose turn it is: the one with the fewest running works, then the one that waited longest. */
export const TAKE_TURN =
  prepared(`update toolwright.work_users set ready = ready - 1, running = running + 1, served_at = clock_timestamp()
  where user_id = (
    select u.user_id from toolwright.work_users u
      where ${TURN} and exists (select 1 from toolwright.work r where r.user_id = u.user_id and ${CLAIMABLE})
      order by u.running, u.served_at limit 1 for update skip locked
  ) returning user_id`);
export const WAIT_FOR_TURN = prepared(`select u.user_id from toolwright.work_users u
  where ${TURN} and exists (select 1 from toolwright.work r where r.user_id = u.user_id and ${CLAIMABLE})
  order by u.running, u.served_at limit 1 for update`);
export const CLAIM =
  prepared(`update toolwright.work set state = 'running', worker = $4, fence = fence + 1, attempts = attempts + 1, wake = false,
    renewed_at = clock_timestamp(), expires_at = clock_timestamp() + $5::float8 * interval '1 millisecond'
  where id = (
    select r.id from toolwright.work r where r.user_id = $3 and ${CLAIMABLE}
      order by r.priority, r.number limit 1 for update skip locked
  ) returning id, kind, request, fence, attempts, is_cancelled,
    extract(epoch from clock_timestamp() - ready_at)::float8 * 1000 as waited_ms,
    extract(epoch from clock_timestamp() - lost_at)::float8 * 1000 as lost_ms`);

/** Counts the end of a run, if the worker still has the work. */
export const END_TURN = prepared(`update toolwright.work_users set running = running - 1
  where user_id = (select user_id from toolwright.work where ${HELD}) returning user_id`);
// Work with a decision that its run could not read, as while the database restarted, waits for a second, or as long as the decision is old:
// its wake-up has passed.
export const LEAVE = prepared(`update toolwright.work set
    state = case when $4::text = 'waiting' and (wake or is_cancelled) then 'ready' else $4::text end,
    due_at = clock_timestamp() + (case when $4::text = 'waiting' then coalesce((
        select least($5::float8, greatest(1000, extract(epoch from clock_timestamp() - max(added_at)) * 1000))
          from toolwright.decisions where execution = $1 and not is_applied having count(*) > 0
      ), $5::float8) else $5::float8 end) * interval '1 millisecond',
    worker = null, expires_at = null, wake = false, ready_at = clock_timestamp(),
    lost_at = case when $7::boolean then null else renewed_at end,
    attempts = case when $7::boolean then 0 else attempts end,
    result = coalesce($6, result), ended_at = case when $4::text = 'ended' then clock_timestamp() end
  where ${HELD} returning state`);
export const ASK = `update toolwright.work set asked = asked + 1 where ${HELD}`;

/** The locks have one order: user, then work. */
export const LOCK_USER = `select user_id from toolwright.work_users
  where user_id = (select user_id from toolwright.work where id = $1) for update`;
export const LOCK = `select user_id, state, fence from toolwright.work
  where id = $1 and ($2::bytea is null or user_id = $2::bytea) for update`;
export const MAKE_READY = `update toolwright.work set state = 'ready', ready_at = clock_timestamp() where id = $1`;
export const WAKE_LATER = 'update toolwright.work set wake = true where id = $1';
export const END_CANCELLED = `update toolwright.work set state = 'ended', is_cancelled = true, ended_at = clock_timestamp() where id = $1`;
export const REQUEST_CANCEL = 'update toolwright.work set is_cancelled = true where id = $1';
export const REOPEN = `update toolwright.work set state = 'ready', key_id = $2, request = $3, priority = $4, result = null, wake = false,
    is_cancelled = false, asked = 0, attempts = 0, lost_at = null, ended_at = null, ready_at = clock_timestamp()
  where id = $1`;

/** Works to revive. */
export const REVIVABLE = prepared(`select id, user_id from
    (select id, user_id from toolwright.work where ${LOST} order by expires_at limit $1::bigint) as lost
  union all select id, user_id from
    (select id, user_id from toolwright.work where ${DUE} order by due_at limit $1::bigint) as due`);
export const LOCK_FREE_USER = prepared(
  'select user_id from toolwright.work_users where user_id = $1 for update skip locked',
);
export const REVIVE =
  prepared(`update toolwright.work set state = 'ready', worker = null, expires_at = null, wake = false,
    ready_at = clock_timestamp(), lost_at = case state when 'running' then renewed_at end
  where id in (
    select id from toolwright.work where id = any($1::uuid[]) and ((${LOST}) or (${DUE})) for update skip locked
  ) returning lost_at is not null as was_running`);

export const OUTCOMES = prepared(`select ${OUTCOME} from toolwright.work where id = any($1::uuid[])`);
export const FIND = `select ${OUTCOME}, request, (extract(epoch from submitted_at) * 1000)::float8 as submitted_ms,
    (extract(epoch from ended_at) * 1000)::float8 as ended_ms
  from toolwright.work where id = $1 and user_id = $2`;
export const REMOVE = `delete from toolwright.work where id = $1 and user_id = $2 and state = 'ended'`;

// Others only read, so that a thousand processes do not queue for one row.
export const OTHER_LEADER = prepared(`select process from toolwright.leaders
  where name = 'work' and process <> $1 and expires_at > clock_timestamp()`);
export const LEAD = prepared(`insert into toolwright.leaders (name, process, expires_at)
  values ('work', $1, clock_timestamp() + $2::float8 * interval '1 millisecond')
  on conflict (name) do update set process = excluded.process, expires_at = excluded.expires_at
    where leaders.process = excluded.process or leaders.expires_at <= clock_timestamp()
  returning process`);
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
export const PURGE = `delete from toolwright.work where id in (
    select id from toolwright.work where state = 'ended' and ended_at <= clock_timestamp() - interval '1 day'
      order by ended_at limit $1::bigint for update skip locked
  )`;
export const IDLE_USERS = `select user_id from toolwright.work_users
  where ready = 0 and running = 0 and served_at <= clock_timestamp() - interval '1 day' limit $1::bigint for update skip locked`;
// A statement of its own: it sees all work that was submitted before the lock. Later work waits for it, and adds the row again.
export const FORGET_USER = `delete from toolwright.work_users
  where user_id = $1 and not exists (select 1 from toolwright.work w where w.user_id = $1)`;
export const COUNTS = `select
  (select count(*) from toolwright.work where state = 'ready')::float8 as ready,
  (select count(*) from toolwright.work where state = 'running')::float8 as running,
  (select count(*) from toolwright.work where state = 'waiting')::float8 as waiting,
  (select extract(epoch from clock_timestamp() - min(ready_at))::float8 * 1000
    from toolwright.work where state = 'ready') as oldest_ready_ms,
  (select extract(epoch from clock_timestamp() - min(renewed_at))::float8 * 1000
    from toolwright.work where state = 'running') as lease_age_ms`;
