-- The state of executions besides their lines: history, decisions, requests to cancel, and the rows of lists.
-- Names of users are escaped like JSON, so that any text is allowed.
alter table toolwright.executions
  add column user_id text collate "C" not null default 'local',
  add column session text collate "C",
  add column started_ms bigint not null default floor(extract(epoch from clock_timestamp()) * 1000),
  -- Null for an execution that runs or was interrupted.
  add column status text,
  -- When a suspended execution goes on without a decision.
  add column wake_at timestamptz,
  add column dry_run boolean not null default false,
  -- Bytes of the journal, as of the last end or suspension.
  add column bytes bigint not null default 0,
  -- The last start, suspension or end.
  add column changed_at timestamptz not null default clock_timestamp(),
  add column cancel_at timestamptz;
-- Renewals change no indexed column, and find space in the same page.
alter table toolwright.executions set (fillfactor = 80);
create index executions_history on toolwright.executions (user_id, started_ms, id);
create index executions_wake on toolwright.executions (wake_at) where status = 'suspended';
create index executions_open on toolwright.executions (id) where status is null;

create table toolwright.decisions (
  execution uuid not null references toolwright.executions on delete cascade,
  call integer not null,
  question integer not null,
  -- The authentication code, and the decision with sealed values.
  content text not null,
  added_at timestamptz not null default clock_timestamp(),
  -- Whether the journal has the decision too.
  is_applied boolean not null,
  primary key (execution, call, question)
);
create index decisions_open on toolwright.decisions (added_at) where not is_applied;

-- The rows of lists. All of it can be built again from the journals.
create table toolwright.execution_rows (
  id uuid primary key references toolwright.executions on delete cascade,
  key text collate "C" not null,
  user_id text collate "C" not null,
  session text collate "C",
  status text not null,
  error text collate "C",
  tokens bigint not null,
  ms double precision not null,
  questions integer not null,
  dry_run boolean not null,
  tools text[] collate "C" not null,
  words tsvector not null,
  change bigint not null,
  -- The last change of the status.
  status_change bigint not null,
  content text not null
);
create index execution_rows_key on toolwright.execution_rows (key);
create index execution_rows_user on toolwright.execution_rows (user_id, key);
create index execution_rows_status on toolwright.execution_rows (status, key);
create index execution_rows_session on toolwright.execution_rows (session, key) where session is not null;
create index execution_rows_error on toolwright.execution_rows (error, key) where error is not null;
create index execution_rows_questions on toolwright.execution_rows (key) where questions > 0;
create index execution_rows_dry_run on toolwright.execution_rows (key) where dry_run;
create index execution_rows_change on toolwright.execution_rows (change);
create index execution_rows_status_change on toolwright.execution_rows (status_change);
create index execution_rows_tools on toolwright.execution_rows using gin (tools);
create index execution_rows_words on toolwright.execution_rows using gin (words);
create sequence toolwright.execution_changes;

-- Executions whose rows are behind. A process that dies between a commit and the write of its row leaves them to others.
create table toolwright.unindexed_executions (
  id uuid primary key references toolwright.executions on delete cascade,
  since timestamptz not null default clock_timestamp()
);

-- Starts an execution with its first lines. Returns no row if its id is taken. A repeated commit finds its own row.
create function toolwright.start_execution(
  wanted uuid, new_owner uuid, ttl_ms double precision, new_user text, new_session text, is_dry_run boolean, lines text[]
) returns table (fence bigint, day date) language plpgsql as $$
#variable_conflict use_column
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
begin
  perform toolwright.create_partition(today);
  insert into toolwright.executions (id, day, fence, owner, expires_at, user_id, session, dry_run)
    values (wanted, today, 1, new_owner, clock_timestamp() + ttl_ms * interval '1 millisecond', new_user, new_session, is_dry_run)
    on conflict do nothing;
  if not found then
    return query select e.fence, e.day from toolwright.executions e
      where e.id = wanted and e.fence = 1 and e.owner = new_owner and e.status is null;
    return;
  end if;
  insert into toolwright.journal_lines (day, execution, number, line)
    select today, wanted, n.position, n.line from unnest(lines) with ordinality as n (line, position);
  insert into toolwright.unindexed_executions (id) values (wanted);
  return query select 1::bigint, today;
end $$;

-- Takes the lease of an execution that is suspended or was interrupted. Returns no row while an owner has it, and for an ended one.
create function toolwright.continue_execution(wanted uuid, new_owner uuid, ttl_ms double precision)
returns table (fence bigint, day date, last bigint) language plpgsql as $$
#variable_conflict use_column
declare
  found_day date;
  found_fence bigint;
begin
  select e.day, e.fence into found_day, found_fence from toolwright.executions e
    where e.id = wanted and (e.status is null or e.status = 'suspended')
      and (e.owner is null or e.expires_at <= clock_timestamp()) for update;
  if not found then return; end if;
  update toolwright.executions e
    set fence = found_fence + 1, owner = new_owner, expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
    where e.id = wanted;
  -- A statement of its own: the last commit of the former owner may have ended while this one waited.
  return query select found_fence + 1, found_day,
    coalesce((select max(l.number) from toolwright.journal_lines l where l.day = found_day and l.execution = wanted), 0);
end $$;

-- Adds lines under a fencing number, with the decisions that they apply. Returns false for a former owner. The lock keeps another owner
-- from acquiring the execution before the end of this commit. A commit whose answer was lost is repeated: its lines are there already.
create function toolwright.append_lines(
  wanted uuid, held_fence bigint, wanted_day date, after bigint, lines text[], calls integer[], questions integer[]
) returns boolean language plpgsql as $$
begin
  perform from toolwright.executions where id = wanted and fence = held_fence for share;
  if not found then return false; end if;
  insert into toolwright.journal_lines (day, execution, number, line)
    select wanted_day, wanted, after + n.position, n.line from unnest(lines) with ordinality as n (line, position)
    on conflict do nothing;
  if calls is not null then
    update toolwright.decisions d set is_applied = true
      from unnest(calls, questions) as a (call, question)
      where d.execution = wanted and d.call = a.call and d.question = a.question;
  end if;
  return true;
end $$;

-- Adds lines of which the last one changes the status: null when the execution goes on. An end or a suspension releases the lease, and
-- an end removes the decisions, except those about a dry run.
create function toolwright.settle_execution(
  wanted uuid, held_fence bigint, wanted_day date, after bigint, lines text[], calls integer[], questions integer[],
  new_status text, wake_ms double precision
) returns boolean language plpgsql as $$
declare
  is_dry_run boolean;
begin
  select dry_run into is_dry_run from toolwright.executions where id = wanted and fence = held_fence for update;
  if not found then return false; end if;
  perform toolwright.append_lines(wanted, held_fence, wanted_day, after, lines, calls, questions);
  update toolwright.executions set
    status = new_status,
    wake_at = clock_timestamp() + wake_ms * interval '1 millisecond',
    changed_at = clock_timestamp(),
    bytes = (
      select sum(octet_length(l.line) + 1) from toolwright.journal_lines l where l.day = wanted_day and l.execution = wanted
    ),
    owner = case when new_status is null then owner end,
    expires_at = case when new_status is null then expires_at end,
    cancel_at = case when new_status is null then cancel_at end
    where id = wanted;
  insert into toolwright.unindexed_executions (id) values (wanted) on conflict do nothing;
  if new_status <> 'suspended' and not is_dry_run then
    delete from toolwright.decisions where execution = wanted;
  end if;
  return true;
end $$;

-- Writes rows of lists over older ones. Each changed row gets the number of a new change. The lock makes the numbers visible in their
-- order, so that a reader after one number misses none.
create function toolwright.index_executions(
  ids uuid[], users text[], sessions text[], statuses text[], errors text[], all_tokens bigint[], durations double precision[],
  all_questions integer[], dry_runs boolean[], all_tools text[], all_words text[], contents text[]
) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7466902513);
  insert into toolwright.execution_rows as r (
      id, key, user_id, session, status, error, tokens, ms, questions, dry_run, tools, words, change, status_change, content
    )
    select e.id, lpad(e.started_ms::text, 13, '0') || '.' || e.id, n.user_id, n.session, n.status, n.error, n.tokens, n.ms,
      n.questions, n.dry_run, string_to_array(n.tools, E'\n'), n.words::tsvector, nextval('toolwright.execution_changes'),
      currval('toolwright.execution_changes'), n.content
    from unnest(
      ids, users, sessions, statuses, errors, all_tokens, durations, all_questions, dry_runs, all_tools, all_words, contents
    ) as n (id, user_id, session, status, error, tokens, ms, questions, dry_run, tools, words, content)
    join toolwright.executions e on e.id = n.id
    on conflict (id) do update set
      session = excluded.session, status = excluded.status, error = excluded.error, tokens = excluded.tokens, ms = excluded.ms,
      questions = excluded.questions, dry_run = excluded.dry_run, tools = excluded.tools, words = excluded.words,
      change = excluded.change, content = excluded.content,
      status_change = case when r.status = excluded.status then r.status_change else excluded.change end
    where r.content <> excluded.content;
  delete from toolwright.unindexed_executions u using unnest(ids, statuses) as n (id, status), toolwright.executions e
    where u.id = n.id and e.id = n.id and coalesce(e.status, 'open') = n.status;
end $$;

-- Removes an execution with everything that belongs to it. Returns the bytes of its journal.
create function toolwright.remove_execution(wanted uuid) returns bigint language plpgsql as $$
declare
  found_day date;
  removed bigint;
begin
  -- The lock ends the commits of an owner: no line is added after the removal.
  delete from toolwright.executions where id = wanted returning day, bytes into found_day, removed;
  delete from toolwright.journal_lines where day = found_day and execution = wanted;
  return coalesce(removed, 0);
end $$;

drop function toolwright.drop_journals_before(date);

-- Removes the executions that were last used before a time, except suspended ones and those with a living lease. Returns their number.
-- A day without any other execution is dropped as a whole.
create function toolwright.purge_executions(oldest timestamptz) returns bigint language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
declare
  part record;
  expired uuid[];
  removed bigint := 0;
begin
  for part in
    select c.relname, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'toolwright.journal_lines'::regclass
  loop
    continue when part.day > (oldest at time zone 'UTC')::date;
    with gone as (
      delete from toolwright.executions
        where day = part.day and changed_at < oldest and status is distinct from 'suspended'
          and (owner is null or expires_at < oldest)
        returning id
    )
    select array_agg(id) into expired from gone;
    removed := removed + coalesce(cardinality(expired), 0);
    if not exists (select from toolwright.executions where day = part.day)
      and part.day < (clock_timestamp() at time zone 'UTC')::date - 1
    then
      execute format('drop table toolwright.%I', part.relname);
    else
      delete from toolwright.journal_lines where day = part.day and execution = any(expired);
    end if;
  end loop;
  return removed;
end $$;
