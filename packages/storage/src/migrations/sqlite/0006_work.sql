-- Work of the queue. The state of a row decides: counters of users only make a claim independent of the number of rows.
create table work_users (
  user_id blob primary key,
  ready integer not null default 0,
  running integer not null default 0,
  -- When work of the user was last claimed: users with equally many running works take turns.
  served_at real not null default 0
) without rowid;
create index work_users_turn on work_users (running, served_at) where ready > 0;
create table work (
  id text not null unique,
  number integer primary key autoincrement,
  kind text not null,
  -- Id of the key that has sealed the request. Only a worker with this key can run the work.
  key_id blob not null,
  user_id blob not null,
  -- Digest of the session. At most one work of a session runs.
  session blob,
  -- Lower numbers run first.
  priority integer not null,
  request text not null,
  state text not null check (state in ('ready', 'running', 'waiting', 'ended')),
  due_at real not null,
  -- Set by a wake-up while the work runs: it does not wait then.
  wake integer not null default 0,
  is_cancelled integer not null default 0,
  -- Questions to the caller of this work.
  asked integer not null default 0,
  worker text,
  fence integer not null default 0,
  -- Claims since the last orderly end of a run.
  attempts integer not null default 0,
  renewed_at real,
  expires_at real,
  -- The last sign of life of a worker that lost the work.
  lost_at real,
  result text,
  submitted_at real not null,
  ready_at real not null,
  ended_at real
);
create index work_ready on work (user_id, priority, number) where state = 'ready';
create index work_order on work (priority, number) where state = 'ready';
create index work_expiry on work (expires_at) where state = 'running';
create index work_sessions on work (session) where state = 'running' and session is not null;
create index work_due on work (due_at) where state = 'waiting';
create index work_ended on work (ended_at) where state = 'ended';
create index work_of_user on work (user_id);
create table leaders (name text primary key, process text not null, expires_at real not null) without rowid;
