-- Large contents in chunks. A content becomes visible as a whole, when a blob names it. A replaced content stays for its readers.
create table toolwright.contents (
  id bigint generated always as identity primary key,
  -- When an upload that did not finish, or a content without a blob, may be removed; null for the content of a blob.
  removable_at timestamptz default clock_timestamp() + interval '1 day'
);
create index contents_removable on toolwright.contents (removable_at) where removable_at is not null;

create table toolwright.chunks (
  content bigint not null references toolwright.contents on delete cascade,
  number integer not null,
  bytes bytea not null,
  primary key (content, number)
);
-- Files are mostly compressed or small, and a part of an uncompressed value can be read by itself.
alter table toolwright.chunks alter column bytes set storage external;

create table toolwright.blobs (
  key text collate "C" primary key,
  content bigint not null references toolwright.contents,
  size bigint not null
);

create function toolwright.put_blob(wanted text, new_content bigint, new_size bigint) returns void language plpgsql as $$
declare
  old bigint;
begin
  loop
    select content into old from toolwright.blobs where key = wanted for update;
    if found then
      update toolwright.blobs set content = new_content, size = new_size where key = wanted;
      update toolwright.contents set removable_at = clock_timestamp() + interval '1 hour' where id = old;
      exit;
    end if;
    insert into toolwright.blobs values (wanted, new_content, new_size) on conflict do nothing;
    exit when found;
  end loop;
  update toolwright.contents set removable_at = null where id = new_content;
end $$;

create function toolwright.delete_blobs(wanted text[]) returns void language sql as $$
  with gone as (delete from toolwright.blobs where key = any(wanted) returning content)
  update toolwright.contents set removable_at = clock_timestamp() + interval '1 hour' where id in (select content from gone);
$$;

create function toolwright.purge_contents(most integer) returns void language sql as $$
  delete from toolwright.contents where id in (
    select id from toolwright.contents where removable_at <= clock_timestamp() limit most for update skip locked
  );
$$;
