-- Creates the partition of a day. A process attaches a finished table: this blocks neither readers nor writers of other days.
create or replace function toolwright.create_partition(wanted date) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
declare
  title text := 'journal_lines_' || to_char(wanted, 'YYYYMMDD');
begin
  if to_regclass('toolwright.' || title) is not null then return; end if;
  perform pg_advisory_xact_lock(7466902512);
  begin
    execute format('create table toolwright.%I (like toolwright.journal_lines including all)', title);
    execute format(
      'alter table toolwright.journal_lines attach partition toolwright.%I for values from (%L) to (%L)', title, wanted, wanted + 1
    );
  exception when duplicate_table then
    -- Another process has created it while this one waited. A wait for such a lock does not show new tables.
    return;
  end;
end $$;
