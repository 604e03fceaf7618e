import { type Prepared, prepared } from '@toolwright/storage/internal';

/** The columns of the outcome of some work. */
const OUTCOME = 'id, state, is_cancelled, asked, result';
/** Ready work of the key $1 and the kinds $2, whose session has no other running work. */
const CLAIMABLE = `r.state = 'ready' and r.key_id = $1 and r.kind = any($2::text[])
  and not exists (select 1 from toolwright.work s where s.session = r.session and s.state = 'running')`;
const HELD = `id = $1 and worker = $2 and fence = $3 and state = 'running'`;
const LOST = `state = 'running' and expires_at <= clock_timestamp()`;
const DUE = `state = 'waiting' and due_at <= clock_timestamp()`;

/** A change of one work. Its row has the user, and adds to the numbers of ready and running works of that user. */
export interface Change {
  /** The change alone: the caller counts. */
  readonly change: Prepared;
  /** The change and the count in one statement, which SQLite does not have. */
  readonly counted: Prepared;
}

/** Adds to the numbers of ready and running works of a user. */
const count = (source: string) => `insert into toolwright.work_users (user_id, ready, running) ${source}
  on conflict (user_id) do update set ready = work_users.ready + excluded.ready, running = work_users.running + excluded.running,
    served_at = case when excluded.running > 0 then clock_timestamp() else work_users.served_at end`;
export const COUNT = prepared(count('values ($1, $2::integer, $3::integer)'));

interface ChangeText {
  /** The queries that the change uses, in this order. */
  readonly given?: { readonly [name: string]: string };
  readonly change: string;
  /** SQL: whether a crash of PostgreSQL may forget the change, which does not wait for the disk then. */
  readonly isLosable: string;
  /** A given query of one user, which PostgreSQL also returns without a change. */
  readonly tried?: string;
}

function changing({ given = {}, change, isLosable, tried }: ChangeText): Change {
  const queries = Object.entries(given).map(([name, query]) => `${name} as materialized (${query})`);
  const all = [
    `commit as materialized (select set_config('synchronous_commit',
      case when ${isLosable} then 'off' else current_setting('synchronous_commit') end, true) as mode)`,
    ...queries,
    `changed as (${change})`,
    `counted as (${count('select user_id, sum(more_ready), sum(more_running) from changed group by user_id')})`,
  ];
  const [column, join] = tried ? [`${tried}.user_id as ${tried}, `, `left join ${tried} on true`] : ['', ''];
  return {
    change: prepared(queries.length > 0 ? `with ${queries.join()} ${change}` : change),
    counted: prepared(`with ${all.join()} select ${column}changed.* from commit ${join} left join changed on true
      where commit.mode is not null`),
  };
}

export const SUBMIT = changing({
  change: `insert into toolwright.work
    (id, kind, key_id, user_id, session, priority, request, state, due_at, submitted_at, ready_at)
  values ($1, $2, $3, $4, $5, $6, $7, case when $8::float8 > 0 then 'waiting' else 'ready' end,
    clock_timestamp() + $8::float8 * interval '1 millisecond', clock_timestamp(), clock_timestamp())
  on conflict do nothing returning user_id, case state when 'ready' then 1 else 0 end as more_ready, 0 as more_running`,
  isLosable: 'false',
});

/** The user with claimable work whose turn it is: with the fewest running works, then the one that waited longest. */
const turn = (condition = 'true') => `from toolwright.work_users u
  where u.ready > 0 and u.running < $3 and ${condition}
    and (select r.id from toolwright.work r where r.user_id = u.user_id and ${CLAIMABLE} order by r.priority, r.number limit 1) is not null
  order by u.running, u.served_at limit 1`;
// Another claim of the user may have ended after this statement began, and the works of sessions that run would not be seen. It has changed
// the time of the turn: the locked row is then newer than that of the subquery. The next user has the turn. $6 are users whose works others
// have locked. Claims may be forgotten: the work is ready again. A program sends nothing before the commit of its journal's start,
// which is safe only together with this one.
export const CLAIM = changing({
  given: {
    turn: `select u.user_id ${turn(`u.user_id <> all($6)
      and u.served_at = (select v.served_at from toolwright.work_users v where v.user_id = u.user_id)`)} for update skip locked`,
  },
  change: `update toolwright.work set state = 'running', worker = $4, fence = fence + 1, attempts = attempts + 1, wake = false,
    renewed_at = clock_timestamp(), expires_at = clock_timestamp() + $5::float8 * interval '1 millisecond'
  where state = 'ready' and id = (
    select r.id from toolwright.work r, turn where r.user_id = turn.user_id and ${CLAIMABLE}
      order by r.priority, r.number limit 1 for update of r skip locked
  ) returning id, kind, request, fence, attempts, is_cancelled,
    extract(epoch from clock_timestamp() - ready_at)::float8 * 1000 as waited_ms,
    extract(epoch from clock_timestamp() - lost_at)::float8 * 1000 as lost_ms,
    user_id, -1 as more_ready, 1 as more_running`,
  isLosable: 'true',
  tried: 'turn',
});

// A run may miss a decision, as while the database restarts: the wake-up has passed. Its work waits for a second, or as long as the decision
// is old. An end does not wait for the disk. After a crash that forgot it, the lease expires, and the next run finds it in the journal or the
// transcript.
export const LEAVE = changing({
  given: {
    locked: `select user_id from toolwright.work_users where user_id = (select user_id from toolwright.work where ${HELD}) for update`,
  },
  change: `update toolwright.work set
    state = case when $4::text = 'waiting' and (wake or is_cancelled) then 'ready' else $4::text end,
    due_at = clock_timestamp() + (case when $4::text = 'waiting' then coalesce((
        select least($5::float8, greatest(1000, extract(epoch from clock_timestamp() - max(added_at)) * 1000))
          from toolwright.decisions where execution = $1 and not is_applied having count(*) > 0
      ), $5::float8) else $5::float8 end) * interval '1 millisecond',
    worker = null, expires_at = null, wake = false, ready_at = clock_timestamp(),
    lost_at = case when $7::boolean then null else renewed_at end,
    attempts = case when $7::boolean then 0 else attempts end,
    result = coalesce($6, result), ended_at = case when $4::text = 'ended' then clock_timestamp() end
  where ${HELD} and exists (select 1 from locked)
  returning state, user_id, case state when 'ready' then 1 else 0 end as more_ready, -1 as more_running`,
  isLosable: `$4::text = 'ended'`,
});
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

const revivable = (most: string) => `select id, user_id from
    (select id, user_id from toolwright.work where ${LOST} order by expires_at limit ${most}::bigint) as lost
  union all select id, user_id from
    (select id, user_id from toolwright.work where ${DUE} order by due_at limit ${most}::bigint) as due`;
/** Whether there are works to revive, and claimable ones. */
export const LOOK =
  prepared(`select exists (select 1 from toolwright.work where ${LOST}) or exists (select 1 from toolwright.work where ${DUE})
    as is_revivable, exists (select 1 ${turn()}) as is_claimable`);
// Waits for no lock: the next call finds the rest. A row that was changed meanwhile is read again, with its lock.
export const REVIVE = changing({
  given: {
    found: revivable('$1'),
    free: 'select user_id from toolwright.work_users where user_id in (select user_id from found) for update skip locked',
  },
  change: `update toolwright.work set state = 'ready', worker = null, expires_at = null, wake = false,
    ready_at = clock_timestamp(), lost_at = case state when 'running' then renewed_at end
  where id in (
    select id from toolwright.work where id in (select id from found) and user_id in (select user_id from free)
      and ((${LOST}) or (${DUE})) for update skip locked
  ) returning user_id, 1 as more_ready, case when lost_at is null then 0 else -1 end as more_running`,
  isLosable: 'true',
});

export const OUTCOMES = prepared(`select ${OUTCOME} from toolwright.work where id = any($1::uuid[])`);
export const FIND = `select ${OUTCOME}, request, (extract(epoch from submitted_at) * 1000)::float8 as submitted_ms,
    (extract(epoch from ended_at) * 1000)::float8 as ended_ms
  from toolwright.work where id = $1 and user_id = $2`;
export const REMOVE = `delete from toolwright.work where id = $1 and user_id = $2 and state = 'ended'`;

// Others only read, so that a thousand processes do not queue for one row.
export const OTHER_LEADER = prepared(`select process from toolwright.leaders
  where name = 'work' and process <> $1 and expires_at > clock_timestamp()`);
// Waits for no other process: many want the lead when it has expired.
export const LEAD =
  prepared(`with free as materialized (select 1 from toolwright.leaders where name = 'work' for update skip locked)
  insert into toolwright.leaders (name, process, expires_at)
  select 'work', $1, clock_timestamp() + $2::float8 * interval '1 millisecond'
    where exists (select 1 from free) or not exists (select 1 from toolwright.leaders where name = 'work')
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
