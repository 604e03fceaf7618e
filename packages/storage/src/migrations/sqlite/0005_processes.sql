create table processes (
  -- The lease of a process. It gets another one after a loss.
  id text primary key,
  -- The renewals of the process.
  holder text not null,
  fence integer not null default 1,
  expires_at real not null
) without rowid;
