-- A decision lets the work of its execution go on in the same transaction, whoever has made it.
create function toolwright.wake_decided() returns trigger language plpgsql as $$
begin
  perform toolwright.wake_work(new.execution);
  return null;
end $$;
create trigger decisions_wake after insert on toolwright.decisions
  for each row when (not new.is_applied) execute function toolwright.wake_decided();

-- Makes waiting or ended work ready with another request and priority. Returns the state before; null if there is no such work.
create function toolwright.reopen_work(wanted uuid, of_user bytea, new_key bytea, new_request text, new_priority integer)
returns text language plpgsql as $$
declare
  before text := toolwright.reopen_work(wanted, of_user, new_key, new_request);
begin
  if before in ('waiting', 'ended') then update toolwright.work set priority = new_priority where id = wanted; end if;
  return before;
end $$;

-- Deletes work that ended a day ago, and the rows of users without any work.
create or replace function toolwright.purge_work(most integer) returns void language plpgsql as $$
declare
  idle bytea[];
begin
  delete from toolwright.work where id in (
    select id from toolwright.work where state = 'ended' and ended_at <= clock_timestamp() - interval '1 day'
      order by ended_at limit most for update skip locked
  );
  select array_agg(u.user_id) into idle from (
    select user_id from toolwright.work_users
      where ready = 0 and running = 0 and served_at <= clock_timestamp() - interval '1 day' limit most for update skip locked
  ) u;
  -- A statement of its own: it sees all work that was submitted before the locks. Later work waits for them, and adds its row again.
  delete from toolwright.work_users u
    where u.user_id = any(idle) and not exists (select from toolwright.work w where w.user_id = u.user_id);
end $$;
create index work_of_user on toolwright.work (user_id);
