/**
 * The migrations of `state.db`, in their order. Each is run once and never changed after its release. Names and columns are those of the
 * tables of PostgreSQL. A time is a number of milliseconds since the epoch.
 */
export const STATE_MIGRATIONS: readonly string[] = [
  `create table clocks (id integer primary key, machine text not null, started_ms real not null, offset_ms real not null,
    created_ms real not null);
  create table tasks (
    id text not null unique,
    -- The order of creation.
    number integer primary key autoincrement,
    user_id blob not null,
    session_id blob not null,
    fence integer not null default 1,
    -- The process that has the lease; null after a release.
    owner text,
    expires_at real,
    -- Whether the last owner released the task for another process to continue it.
    waits integer not null default 0,
    cancel_requested integer not null default 0,
    -- The last acquisition or release.
    changed_at real not null
  );
  create index tasks_user on tasks (user_id, number);
  create index tasks_session on tasks (user_id, session_id, number);
  create index tasks_owner on tasks (owner) where owner is not null;
  create index tasks_waiting on tasks (id) where waits;
  create index tasks_changed on tasks (changed_at);
  create table task_lines (
    task text not null,
    number integer not null,
    line text not null,
    primary key (task, number)
  );`,
  `create table decisions (
    execution text not null,
    call integer not null,
    question integer not null,
    -- The authentication code, and the decision with sealed values.
    content text not null,
    added_at real not null,
    -- Whether no journal will have the decision.
    is_applied integer not null,
    primary key (execution, call, question)
  );
  create index decisions_open on decisions (added_at) where not is_applied;`,
  `create table sessions (
    id text primary key,
    -- Users and customers are JSON texts.
    user_name text not null,
    customer text,
    created_at real not null,
    last_used_at real not null
  );
  create index sessions_of_user on sessions (user_name, last_used_at desc, id desc);
  create index sessions_by_use on sessions (last_used_at, id);
  create table session_log (
    session text not null references sessions on delete cascade,
    number integer primary key autoincrement,
    entry text not null
  );
  create index session_log_of on session_log (session, number);`,
];
