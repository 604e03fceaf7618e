-- Work of a cluster: executions and tasks that an api process has accepted and a worker runs. All times are by the clock of the database.
-- Locks are taken in one order: the row of the user, then the row of the work. Whoever holds the lock of a user takes others only if free.
create table toolwright.work_users (
  user_id bytea primary key,
  ready integer not null default 0,
  running integer not null default 0,
  -- When work of the user was last claimed: users with equally many running works take turns.
  served_at timestamptz not null default '-infinity'
) with (fillfactor = 70);
create index work_users_turn on toolwright.work_users (running, served_at) where ready > 0;

create table toolwright.work (
  id uuid primary key,
  number bigint generated always as identity,
  kind text not null,
  -- Id of the key that has sealed the request. Only a worker with this key can run the work.
  key_id bytea not null,
  user_id bytea not null,
  -- Digest of the session. At most one work of a session runs.
  session bytea,
  -- Lower numbers run first.
  priority integer not null,
  request text not null,
  state text not null check (state in ('ready', 'running', 'waiting', 'ended')),
  due_at timestamptz not null,
  -- Set by a wake-up while the work runs: it does not wait then.
  wake boolean not null default false,
  is_cancelled boolean not null default false,
  -- Questions to the caller of this work.
  asked integer not null default 0,
  worker uuid,
  fence bigint not null default 0,
  -- Claims since the last orderly end of a run.
  attempts integer not null default 0,
  renewed_at timestamptz,
  expires_at timestamptz,
  -- The last sign of life of a worker that lost the work.
  lost_at timestamptz,
  result text,
  submitted_at timestamptz not null default clock_timestamp(),
  ready_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
) with (fillfactor = 80);
create index work_ready on toolwright.work (user_id, priority, number) where state = 'ready';
create index work_order on toolwright.work (priority, number) where state = 'ready';
create index work_workers on toolwright.work (worker) where state = 'running';
create index work_expiry on toolwright.work (expires_at) where state = 'running';
create index work_sessions on toolwright.work (session) where state = 'running' and session is not null;
create index work_due on toolwright.work (due_at) where state = 'waiting';
create index work_ended on toolwright.work (ended_at) where state = 'ended';

create table toolwright.leaders (
  name text primary key,
  process uuid not null,
  expires_at timestamptz not null
);

create function toolwright.count_work(of_user bytea, more_ready integer, more_running integer) returns void language sql as $$
  insert into toolwright.work_users (user_id, ready, running) values (of_user, more_ready, more_running)
    on conflict (user_id) do update
      set ready = work_users.ready + excluded.ready, running = work_users.running + excluded.running;
$$;

-- Returns false if the id exists.
create function toolwright.submit_work(
  new_id uuid, new_kind text, new_key bytea, new_user bytea, new_session bytea, new_priority integer, new_request text,
  delay_ms double precision
) returns boolean language plpgsql as $$
begin
  insert into toolwright.work (id, kind, key_id, user_id, session, priority, request, state, due_at)
    values (
      new_id, new_kind, new_key, new_user, new_session, new_priority, new_request,
      case when delay_ms > 0 then 'waiting' else 'ready' end, clock_timestamp() + delay_ms * interval '1 millisecond'
    ) on conflict do nothing;
  if not found then return false; end if;
  perform toolwright.count_work(new_user, case when delay_ms > 0 then 0 else 1 end, 0);
  return true;
end $$;

-- Locks a work and its user until the end of the transaction. Returns nulls if there is no such work.
create function toolwright.lock_work(wanted uuid) returns toolwright.work language plpgsql as $$
declare
  found_user bytea;
  work toolwright.work;
begin
  select user_id into found_user from toolwright.work where id = wanted;
  if not found then return work; end if;
  perform from toolwright.work_users where user_id = found_user for update;
  select * into work from toolwright.work where id = wanted for update;
  return work;
end $$;

-- Makes work ready whose lease has expired, or whose time has come. Waits for no lock: the next call finds the rest.
create function toolwright.revive_work(most integer) returns integer language plpgsql as $$
declare
  candidate record;
  revived integer := 0;
begin
  for candidate in
    (select id, user_id, true as is_lost from toolwright.work
      where state = 'running' and expires_at <= clock_timestamp() order by expires_at limit most)
    union all
    (select id, user_id, false from toolwright.work
      where state = 'waiting' and due_at <= clock_timestamp() order by due_at limit most)
  loop
    perform from toolwright.work_users where user_id = candidate.user_id for update skip locked;
    continue when not found;
    perform from toolwright.work where id = candidate.id
      and case when candidate.is_lost then state = 'running' and expires_at <= clock_timestamp()
        else state = 'waiting' and due_at <= clock_timestamp() end
      for update skip locked;
    continue when not found;
    update toolwright.work set state = 'ready', worker = null, expires_at = null, wake = false, ready_at = clock_timestamp(),
      lost_at = case when candidate.is_lost then renewed_at end where id = candidate.id;
    perform toolwright.count_work(candidate.user_id, 1, case when candidate.is_lost then -1 else 0 end);
    revived := revived + 1;
  end loop;
  return revived;
end $$;

-- Claims ready work: of users with the fewest running works first, then of those that waited longest, then by priority and age.
create function toolwright.claim_work(
  own uuid, own_key bytea, kinds text[], most integer, per_user integer, ttl_ms double precision
) returns setof toolwright.work language plpgsql as $$
declare
  claimed integer := 0;
  has_locks boolean := toolwright.revive_work(100) > 0;
  has_waited boolean := false;
  candidate record;
  taken toolwright.work;
begin
  for attempt in 1 .. 2 * most + 4 loop
    exit when claimed >= most;
    select u.user_id, w.id into candidate
      from toolwright.work_users u cross join lateral (
        select r.id from toolwright.work r
          where r.state = 'ready' and r.user_id = u.user_id and r.key_id = own_key and r.kind = any(kinds)
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
    -- A statement of its own: it also sees work that was claimed until the lock was granted.
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

-- Ends a run. Returns the new state; null if the worker does not have the work any more.
create function toolwright.leave_work(
  wanted uuid, own uuid, own_fence bigint, next_state text, delay_ms double precision, new_result text, is_orderly boolean
) returns text language plpgsql as $$
declare
  work toolwright.work := toolwright.lock_work(wanted);
begin
  if work.state is distinct from 'running' or work.worker <> own or work.fence <> own_fence then return null; end if;
  if next_state = 'waiting' and (work.wake or work.is_cancelled) then next_state := 'ready'; end if;
  update toolwright.work set state = next_state, worker = null, expires_at = null, wake = false,
    due_at = clock_timestamp() + delay_ms * interval '1 millisecond', ready_at = clock_timestamp(),
    lost_at = case when not is_orderly then renewed_at end,
    attempts = case when is_orderly then 0 else attempts end,
    result = coalesce(new_result, result), ended_at = case when next_state = 'ended' then clock_timestamp() end
    where id = wanted;
  perform toolwright.count_work(work.user_id, case when next_state = 'ready' then 1 else 0 end, -1);
  return next_state;
end $$;

-- Makes waiting work ready. Running work does not wait next time. Returns the state before; null if there is no such work.
create function toolwright.wake_work(wanted uuid) returns text language plpgsql as $$
declare
  work toolwright.work := toolwright.lock_work(wanted);
begin
  if work.state = 'waiting' then
    update toolwright.work set state = 'ready', ready_at = clock_timestamp() where id = wanted;
    perform toolwright.count_work(work.user_id, 1, 0);
  elsif work.state = 'running' then
    update toolwright.work set wake = true where id = wanted;
  end if;
  return work.state;
end $$;

-- Ends work that no worker has begun: returns "cancelled". A worker cancels other work: returns its state. Null if there is none.
create function toolwright.cancel_work(wanted uuid, of_user bytea) returns text language plpgsql as $$
declare
  work toolwright.work := toolwright.lock_work(wanted);
begin
  if work.id is null or work.user_id <> of_user then return null; end if;
  if work.state = 'ended' then return work.state; end if;
  if work.fence = 0 then
    update toolwright.work set state = 'ended', is_cancelled = true, ended_at = clock_timestamp() where id = wanted;
    if work.state = 'ready' then perform toolwright.count_work(work.user_id, -1, 0); end if;
    return 'cancelled';
  end if;
  update toolwright.work set is_cancelled = true, state = case state when 'waiting' then 'ready' else state end,
    ready_at = clock_timestamp() where id = wanted;
  if work.state = 'waiting' then perform toolwright.count_work(work.user_id, 1, 0); end if;
  return work.state;
end $$;

-- Makes waiting or ended work ready with another request. Returns the state before; null if there is no such work.
create function toolwright.reopen_work(wanted uuid, of_user bytea, new_key bytea, new_request text)
returns text language plpgsql as $$
declare
  work toolwright.work := toolwright.lock_work(wanted);
begin
  if work.id is null or work.user_id <> of_user then return null; end if;
  if work.state in ('waiting', 'ended') then
    update toolwright.work set state = 'ready', key_id = new_key, request = new_request, result = null, wake = false,
      is_cancelled = false, asked = 0, attempts = 0, lost_at = null, ended_at = null, ready_at = clock_timestamp()
      where id = wanted;
    perform toolwright.count_work(work.user_id, 1, 0);
  end if;
  return work.state;
end $$;

-- Takes or renews the lead of a kind of duty. Returns false while another process has it.
create function toolwright.take_lead(of_name text, own uuid, ttl_ms double precision) returns boolean language plpgsql as $$
begin
  -- Others only read, so that a thousand processes do not queue for one row.
  if exists (select from toolwright.leaders where name = of_name and process <> own and expires_at > clock_timestamp()) then
    return false;
  end if;
  insert into toolwright.leaders values (of_name, own, clock_timestamp() + ttl_ms * interval '1 millisecond')
    on conflict (name) do update set process = excluded.process, expires_at = excluded.expires_at
      where leaders.process = own or leaders.expires_at <= clock_timestamp();
  return found;
end $$;

create function toolwright.purge_work(most integer) returns void language sql as $$
  delete from toolwright.work where id in (
    select id from toolwright.work where state = 'ended' and ended_at <= clock_timestamp() - interval '1 day'
      order by ended_at limit most for update skip locked
  );
$$;
