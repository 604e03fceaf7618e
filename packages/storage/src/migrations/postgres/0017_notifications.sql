-- What a cluster without Redis may lose at any moment. These tables are not logged: a crash of the database empties them.

-- Workers that want reports of ready work, each on a channel of its own.
create unlogged table toolwright.work_listeners (
  channel text primary key,
  is_paused boolean not null,
  seen_at timestamptz not null default clock_timestamp()
);

-- Requests in windows of time. Names are digests.
create unlogged table toolwright.rate_windows (
  name bytea primary key,
  points bigint not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
create index rate_windows_end on toolwright.rate_windows (ends_at);
