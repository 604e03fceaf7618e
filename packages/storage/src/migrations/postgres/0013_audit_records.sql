-- One use of a personal value, without the value.
create table toolwright.audit_records (
  id bigint generated always as identity primary key,
  -- The time of the commit, by the clock of the database.
  at timestamptz not null default clock_timestamp(),
  user_id text not null,
  session text not null,
  record jsonb not null
);
create index audit_records_at on toolwright.audit_records (at);
create index audit_records_user on toolwright.audit_records (user_id, at);
