create table clocks (id integer primary key, machine text not null, started_ms real not null, offset_ms real not null,
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
);
