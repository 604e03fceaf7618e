-- Agent tasks. A row of `tasks` has the lease; each acquisition takes the next fencing number.
create table toolwright.tasks (
  id uuid primary key,
  -- The order of creation.
  number bigint generated always as identity,
  user_id bytea not null,
  session_id bytea not null,
  fence bigint not null default 1,
  -- The process that has the lease; null after a release.
  owner uuid,
  expires_at timestamptz,
  -- Whether the last owner released the task for another process to continue it.
  waits boolean not null default false,
  cancel_requested boolean not null default false,
  -- The last acquisition or release.
  changed_at timestamptz not null default clock_timestamp()
);
create index tasks_user on toolwright.tasks (user_id, number);
create index tasks_session on toolwright.tasks (user_id, session_id, number);
create index tasks_owner on toolwright.tasks (owner) where owner is not null;
create index tasks_waiting on toolwright.tasks (id) where waits;
create index tasks_changed on toolwright.tasks (changed_at);

-- The lines of transcripts. Their retention counts from the last change of a task, so they have no partitions by day.
create table toolwright.task_lines (
  task uuid not null,
  number bigint not null,
  line text not null,
  primary key (task, number)
);
