-- Claims ready work: of users with the fewest running works first, then of those that waited longest, then by priority and age. Waits for no
-- row of work: a worker that renews its leases may have locked it, and may wait for a row that this claim has locked.
create or replace function toolwright.claim_work(
  own uuid, own_key bytea, kinds text[], most integer, per_user integer, ttl_ms double precision
) returns setof toolwright.work language plpgsql as $$
declare
  claimed integer := 0;
  has_locks boolean := toolwright.revive_work(100) > 0;
  has_waited boolean := false;
  locked uuid[] := '{}';
  candidate record;
  taken toolwright.work;
begin
  for attempt in 1 .. 2 * most + 4 loop
    exit when claimed >= most;
    select u.user_id, w.id into candidate
      from toolwright.work_users u cross join lateral (
        select r.id from toolwright.work r
          where r.state = 'ready' and r.user_id = u.user_id and r.key_id = own_key and r.kind = any(kinds)
            and r.id <> all(locked)
            and not exists (select from toolwright.work s where s.session = r.session and s.state = 'running')
          order by r.priority, r.number limit 1
      ) w
      where u.ready > 0 and u.running < per_user
      order by u.running, u.served_at limit 1 for update of u skip locked;
    if not found then
      -- Other processes have locked all users with ready work. Without a lock of our own, waiting for one of them is safe.
      exit when has_locks or has_waited or not exists (
        select from toolwright.work_users where ready > 0 and running < per_user
      );
      perform from toolwright.work_users where ready > 0 and running < per_user
        order by running, served_at limit 1 for update;
      has_waited := true;
      continue;
    end if;
    has_locks := true;
    -- Statements of their own: they also see work that was claimed until the lock of the user was granted.
    perform from toolwright.work where id = candidate.id for update skip locked;
    if not found then
      locked := locked || candidate.id;
      continue;
    end if;
    update toolwright.work w set state = 'running', worker = own, fence = fence + 1, attempts = attempts + 1, wake = false,
      renewed_at = clock_timestamp(), expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
      where w.id = candidate.id and w.state = 'ready'
        and not exists (select from toolwright.work s where s.session = w.session and s.state = 'running')
      returning * into taken;
    continue when not found;
    update toolwright.work_users set ready = ready - 1, running = running + 1, served_at = clock_timestamp()
      where user_id = candidate.user_id;
    claimed := claimed + 1;
    return next taken;
  end loop;
end $$;

-- Ends a run. Returns the new state; null if the worker does not have the work any more. Work with a decision that its run could not read, as
-- while the database restarted, waits for a second, or as long as the decision is old: its wake-up has passed.
create or replace function toolwright.leave_work(
  wanted uuid, own uuid, own_fence bigint, next_state text, delay_ms double precision, new_result text, is_orderly boolean
) returns text language plpgsql as $$
declare
  work toolwright.work := toolwright.lock_work(wanted);
  decided_at timestamptz;
begin
  if work.state is distinct from 'running' or work.worker <> own or work.fence <> own_fence then return null; end if;
  if next_state = 'waiting' and (work.wake or work.is_cancelled) then next_state := 'ready'; end if;
  if next_state = 'waiting' then
    select max(added_at) into decided_at from toolwright.decisions where execution = wanted and not is_applied;
    if decided_at is not null then
      delay_ms := least(delay_ms, greatest(1000, extract(epoch from clock_timestamp() - decided_at) * 1000));
    end if;
  end if;
  update toolwright.work set state = next_state, worker = null, expires_at = null, wake = false,
    due_at = clock_timestamp() + delay_ms * interval '1 millisecond', ready_at = clock_timestamp(),
    lost_at = case when not is_orderly then renewed_at end,
    attempts = case when is_orderly then 0 else attempts end,
    result = coalesce(new_result, result), ended_at = case when next_state = 'ended' then clock_timestamp() end
    where id = wanted;
  perform toolwright.count_work(work.user_id, case when next_state = 'ready' then 1 else 0 end, -1);
  return next_state;
end $$;
