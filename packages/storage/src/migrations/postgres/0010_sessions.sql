-- Sessions and their logs. Users and customers are JSON texts: a text of PostgreSQL cannot have every character of a name.
create table toolwright.sessions (
  id text collate "C" primary key,
  user_name text collate "C" not null,
  customer text collate "C",
  created_at timestamptz not null,
  last_used_at timestamptz not null
);
create index sessions_of_user on toolwright.sessions (user_name, last_used_at desc, id desc);
create index sessions_by_use on toolwright.sessions (last_used_at, id);

create table toolwright.session_log (
  session text collate "C" not null references toolwright.sessions on delete cascade,
  number bigint generated always as identity,
  entry text not null,
  primary key (session, number)
);
