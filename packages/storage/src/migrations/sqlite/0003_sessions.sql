create table sessions (
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
create index session_log_of on session_log (session, number);
