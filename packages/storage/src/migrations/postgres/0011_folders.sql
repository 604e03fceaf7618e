create sequence toolwright.folder_versions;

-- Folders whose files are blobs. A row names the newest version of all files at once, and the process that may write the next one.
create table toolwright.folders (
  -- The start of the keys of its blobs. Unique over all clusters that use one bucket.
  id uuid primary key default gen_random_uuid(),
  name text collate "C" not null unique,
  -- 0 before the first commit. No two versions of any folders have one number.
  version bigint not null default 0,
  manifest bytea,
  bytes bigint not null default 0,
  files integer not null default 0,
  changed_at timestamptz not null default clock_timestamp(),
  -- Grows with each writer.
  fence bigint not null default 0,
  owner uuid,
  expires_at timestamptz
);
-- The writer compresses it.
alter table toolwright.folders alter column manifest set storage external;
create index folders_owner on toolwright.folders (owner) where owner is not null;

-- The processes that wait for the right to write a folder, in order.
create table toolwright.folder_waiters (
  folder uuid not null references toolwright.folders on delete cascade,
  ticket bigint generated always as identity,
  expires_at timestamptz not null,
  primary key (folder, ticket)
);

-- The blobs of all folders, also of removed ones. `unused_at` is null while the manifest names the blob.
create table toolwright.folder_blobs (
  folder uuid not null,
  key text collate "C" not null,
  unused_at timestamptz,
  primary key (folder, key)
);
create index folder_blobs_unused on toolwright.folder_blobs (unused_at) where unused_at is not null;

-- Gives a process the right to write a folder, or a place in the queue. Returns no row for the folder of a removed session. The
-- manifest is returned unless the process knows the version.
create function toolwright.acquire_folder(
  wanted text, new_owner uuid, own_ticket bigint, ttl_ms double precision, known bigint
) returns table (id uuid, fence bigint, ticket bigint, version bigint, manifest bytea) language plpgsql as $$
#variable_conflict use_column
declare
  found_row toolwright.folders;
  at timestamptz;
  until timestamptz;
  place bigint := own_ticket;
begin
  if wanted like 'session/%' then
    -- A removal waits for this transaction, and removes the folder then.
    perform from toolwright.sessions s where s.id = substr(wanted, 9) for key share;
    if not found then return; end if;
  end if;
  loop
    select * into found_row from toolwright.folders f where f.name = wanted for update;
    exit when found;
    insert into toolwright.folders (name) values (wanted) on conflict do nothing;
  end loop;
  at := clock_timestamp();
  until := at + ttl_ms * interval '1 millisecond';
  delete from toolwright.folder_waiters w
    where w.folder = found_row.id and w.expires_at <= at and w.ticket is distinct from own_ticket;
  if (found_row.owner is null or found_row.expires_at <= at) and not exists (
    select from toolwright.folder_waiters w where w.folder = found_row.id and (own_ticket is null or w.ticket < own_ticket)
  ) then
    update toolwright.folders f set fence = found_row.fence + 1, owner = new_owner, expires_at = until where f.id = found_row.id;
    delete from toolwright.folder_waiters w where w.folder = found_row.id and w.ticket = own_ticket;
    return query select found_row.id, found_row.fence + 1, null::bigint, found_row.version,
      case when found_row.version <> known then found_row.manifest end;
    return;
  end if;
  update toolwright.folder_waiters w set expires_at = until where w.folder = found_row.id and w.ticket = own_ticket;
  if not found then
    insert into toolwright.folder_waiters (folder, expires_at) values (found_row.id, until) returning folder_waiters.ticket into place;
  end if;
  return query select found_row.id, null::bigint, place, null::bigint, null::bytea;
end $$;

-- Makes a manifest the newest version. Returns null, and changes nothing, if another process has the right.
create function toolwright.commit_folder(
  own uuid, own_fence bigint, new_manifest bytea, new_bytes bigint, new_files integer, named text[], is_last boolean
) returns bigint language plpgsql as $$
declare
  committed bigint;
  known bigint;
begin
  update toolwright.folders set version = nextval('toolwright.folder_versions'), manifest = new_manifest, bytes = new_bytes,
      files = new_files, changed_at = clock_timestamp(), owner = case when is_last then null else owner end,
      expires_at = case when is_last then null else expires_at end
    where id = own and fence = own_fence and owner is not null returning version into committed;
  if not found then return null; end if;
  select count(*) into known from toolwright.folder_blobs where folder = own and key = any(named);
  if known <> cardinality(named) then raise 'a blob was removed before its commit' using errcode = 'TW002'; end if;
  update toolwright.folder_blobs set unused_at = case when key = any(named) then null else clock_timestamp() end
    where folder = own and (unused_at is null) <> (key = any(named));
  return committed;
end $$;

-- Removes a folder, and returns its size. Its blobs are collected later.
create function toolwright.remove_folder(wanted text) returns table (bytes bigint, files integer) language sql as $$
  with gone as (delete from toolwright.folders where name = wanted returning id, bytes, files),
    left_over as (
      update toolwright.folder_blobs set unused_at = clock_timestamp() where folder in (select id from gone) and unused_at is null
    )
  select bytes, files from gone;
$$;
