-- The journals of executions. A row of `executions` has the lease; each change of its owner takes the next fencing number.
create table toolwright.executions (
  id uuid primary key,
  -- The day of the first acquisition, by the clock of the database: all lines of the journal are in the partition of this day.
  day date not null,
  fence bigint not null,
  -- The process that has the lease; null after a release.
  owner uuid,
  expires_at timestamptz
);
create index executions_owner on toolwright.executions (owner) where owner is not null;
create index executions_day on toolwright.executions (day);

create table toolwright.journal_lines (
  day date not null,
  execution uuid not null,
  number bigint not null,
  line text not null,
  primary key (day, execution, number)
) partition by range (day);

-- Creates the partition of a day. A process attaches a finished table: this blocks neither readers nor writers of other days.
create function toolwright.create_partition(wanted date) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
declare
  title text := 'journal_lines_' || to_char(wanted, 'YYYYMMDD');
begin
  if to_regclass('toolwright.' || title) is not null then return; end if;
  perform pg_advisory_xact_lock(7466902512);
  if to_regclass('toolwright.' || title) is not null then return; end if;
  execute format('create table toolwright.%I (like toolwright.journal_lines including all)', title);
  execute format(
    'alter table toolwright.journal_lines attach partition toolwright.%I for values from (%L) to (%L)', title, wanted, wanted + 1
  );
end $$;

-- Drops the journals of all days before one, and returns the number of days. Journals of executions with a living lease stay.
create function toolwright.drop_journals_before(wanted date) returns integer language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
declare
  part record;
  dropped integer := 0;
begin
  for part in
    select c.relname, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'toolwright.journal_lines'::regclass
  loop
    continue when part.day >= wanted;
    continue when exists (
      select from toolwright.executions where day = part.day and owner is not null and expires_at > clock_timestamp()
    );
    delete from toolwright.executions where day = part.day;
    execute format('drop table toolwright.%I', part.relname);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Takes the lease of an execution, new or not. Returns no row while another owner, or this one, has it.
create function toolwright.acquire_journal(wanted uuid, new_owner uuid, ttl_ms double precision)
returns table (fence bigint, day date, last bigint) language plpgsql as $$
#variable_conflict use_column
declare
  found_day date;
  found_fence bigint;
  expiry timestamptz;
begin
  loop
    select e.day, e.fence, case when e.owner is not null then e.expires_at end into found_day, found_fence, expiry
      from toolwright.executions e where e.id = wanted for update;
    if found then
      if expiry > clock_timestamp() then return; end if;
      update toolwright.executions e
        set fence = found_fence + 1, owner = new_owner, expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
        where e.id = wanted;
      return query select found_fence + 1, found_day,
        coalesce((select max(l.number) from toolwright.journal_lines l where l.day = found_day and l.execution = wanted), 0);
      return;
    end if;
    found_day := (clock_timestamp() at time zone 'UTC')::date;
    perform toolwright.create_partition(found_day);
    insert into toolwright.executions
      values (wanted, found_day, 1, new_owner, clock_timestamp() + ttl_ms * interval '1 millisecond') on conflict do nothing;
    if found then
      return query select 1::bigint, found_day, 0::bigint;
      return;
    end if;
  end loop;
end $$;
