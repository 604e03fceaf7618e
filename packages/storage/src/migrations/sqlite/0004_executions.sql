create table executions (
  id text primary key,
  -- Names of users and sessions are escaped like JSON.
  user_id text not null,
  session text,
  started_ms integer not null,
  -- Null for an execution that runs or was interrupted.
  status text,
  -- When a suspended execution goes on without a decision.
  wake_at real,
  dry_run integer not null,
  -- The lease of the process that has it; null after its end, its suspension or a release.
  owner text,
  -- The journal is a file, and its bytes are those on the disk.
  bytes integer not null default 0,
  -- The last start, suspension or end.
  changed_at real not null,
  cancel_at real
) without rowid;
create index executions_history on executions (user_id, started_ms, id);
create index executions_wake on executions (wake_at) where status = 'suspended';
create index executions_open on executions (id) where status is null;
create index executions_changed on executions (changed_at);
create table execution_rows (
  -- Grows with the time of the start, so that the words of the newest executions are read first.
  number integer primary key,
  id text not null unique references executions on delete cascade,
  key text not null unique,
  user_id text not null,
  session text,
  status text not null,
  error text,
  tokens integer not null,
  ms real not null,
  questions integer not null,
  dry_run integer not null,
  change integer not null,
  content text not null
);
create index execution_rows_user on execution_rows (user_id, key);
create index execution_rows_status on execution_rows (status, key);
create index execution_rows_user_status on execution_rows (user_id, status, key);
create index execution_rows_session on execution_rows (session, key) where session is not null;
create index execution_rows_error on execution_rows (error, key) where error is not null;
create index execution_rows_questions on execution_rows (key) where questions > 0;
create index execution_rows_dry_run on execution_rows (key) where dry_run;
create index execution_rows_change on execution_rows (change);
create table execution_tools (tool text not null, key text not null, primary key (tool, key)) without rowid;
create index execution_tools_key on execution_tools (key);
create virtual table execution_words using fts5(words, content='', contentless_delete=1);
insert into execution_words (execution_words, rank) values ('secure-delete', 1);
create table execution_changes (last integer not null);
insert into execution_changes values (0);
-- Executions whose rows are behind.
create table unindexed_executions (
  id text primary key references executions on delete cascade,
  since real not null
) without rowid;
create index unindexed_since on unindexed_executions (since, id);
create trigger executions_started after insert on executions begin
  insert or ignore into unindexed_executions values (new.id, new.changed_at);
end;
create trigger executions_settled after update of status on executions begin
  insert or ignore into unindexed_executions values (new.id, new.changed_at);
  delete from decisions where execution = new.id and new.status <> 'suspended' and not new.dry_run;
end;
create trigger executions_removed after delete on executions begin
  delete from decisions where execution = old.id;
end;
create trigger execution_rows_removed after delete on execution_rows begin
  delete from execution_tools where key = old.key;
  delete from execution_words where rowid = old.number;
end;
-- An insert writes a row of lists over an older one, as the function of PostgreSQL does.
create view index_executions as
  select id, user_id, session, status, '' as error, 0 as tokens, 0.0 as ms, 0 as questions, dry_run, '[]' as tools, '' as words,
    '' as content, 0 as place from executions;
create trigger index_executions_written instead of insert on index_executions
  -- A row that is older than the status is not written: its execution stays behind.
  when exists (
    select 1 from executions
      where id = new.id and (new.status = coalesce(status, 'open') or new.status not in ('open', 'suspended'))
  )
    and not exists (select 1 from execution_rows where id = new.id and content = new.content)
begin
  update execution_changes set last = last + 1;
  delete from execution_tools where key = (select key from execution_rows where id = new.id);
  delete from execution_words where rowid = (select number from execution_rows where id = new.id);
  insert into execution_rows (number, id, key, user_id, session, status, error, tokens, ms, questions, dry_run, change, content)
    select (e.started_ms << 20) + new.place
        + (select count(*) from execution_rows o where o.number = (e.started_ms << 20) + new.place and o.id <> e.id), e.id, printf('%013d.%s', e.started_ms, e.id), new.user_id, new.session, new.status,
      new.error, new.tokens, new.ms, new.questions, new.dry_run, c.last, new.content
    from executions e, execution_changes c where e.id = new.id
    on conflict do update set session = excluded.session, status = excluded.status, error = excluded.error,
      tokens = excluded.tokens, ms = excluded.ms, questions = excluded.questions, dry_run = excluded.dry_run,
      change = excluded.change, content = excluded.content;
  insert or ignore into execution_tools
    select t.value, r.key from json_each(new.tools) t, execution_rows r where r.id = new.id;
  insert into execution_words (rowid, words) select number, new.words from execution_rows where id = new.id;
end;
create trigger index_executions_known instead of insert on index_executions begin
  -- A crash may have come between the end of a journal and its status here.
  update executions set status = new.status, owner = null
    where id = new.id and status is null and new.status not in ('open', 'suspended');
  delete from unindexed_executions
    where id = new.id and new.status = (select coalesce(status, 'open') from executions where id = new.id);
end;
