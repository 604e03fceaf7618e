-- The tables and functions of the store. One function call is one step of the store, and so one transaction. Names and keys are
-- bytes: any text is allowed, and no collation or encoding of the database changes their order.
create table toolwright.installation (
  one boolean primary key default true check (one),
  cluster text not null,
  -- The oldest number of migrations with which a version of Toolwright can use this schema.
  compatible_from integer not null
);

create table toolwright.namespaces (
  id bigint generated always as identity primary key,
  name bytea not null unique,
  expires_at timestamptz,
  ends_at timestamptz
);
create index namespaces_expiry on toolwright.namespaces (expires_at) where expires_at is not null;

create table toolwright.entries (
  namespace bigint not null references toolwright.namespaces on delete cascade,
  key bytea not null,
  value bytea not null,
  primary key (namespace, key)
);

-- Locks a namespace until the end of the transaction, and creates it. An expired one is emptied first.
create function toolwright.open_namespace(wanted bytea) returns bigint language plpgsql as $$
declare
  found_id bigint;
  expiry timestamptz;
begin
  loop
    select id, expires_at into found_id, expiry from toolwright.namespaces where name = wanted for update;
    if found then
      if expiry <= clock_timestamp() then
        delete from toolwright.entries where namespace = found_id;
        update toolwright.namespaces set expires_at = null, ends_at = null where id = found_id;
      end if;
      return found_id;
    end if;
    insert into toolwright.namespaces (name) values (wanted) on conflict do nothing returning id into found_id;
    if found then return found_id; end if;
  end loop;
end $$;

-- Applies a lifetime in milliseconds, by the clock of the database, and drops a namespace without entries.
create function toolwright.settle_namespace(own bigint, idle_ms double precision, max_ms double precision)
returns void language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  stop timestamptz;
begin
  if not exists (select from toolwright.entries where namespace = own) then
    delete from toolwright.namespaces where id = own;
  elsif idle_ms is not null or max_ms is not null then
    select least(ends_at, at + max_ms * interval '1 millisecond') into stop from toolwright.namespaces where id = own;
    update toolwright.namespaces
      set ends_at = stop, expires_at = least(stop, at + idle_ms * interval '1 millisecond') where id = own;
  end if;
end $$;

-- Writes entries in their order. The mode is 0 for "always", 1 for "only if absent", 2 for "only if the value is `was`".
create function toolwright.put_entries(
  wanted bytea, keys bytea[], contents bytea[], modes integer[], was bytea[], idle_ms double precision, max_ms double precision
) returns boolean[] language plpgsql as $$
declare
  own bigint := toolwright.open_namespace(wanted);
  written boolean[] := '{}';
begin
  for i in 1 .. cardinality(keys) loop
    if modes[i] = 2 then
      update toolwright.entries set value = contents[i] where namespace = own and key = keys[i] and value = was[i];
    elsif modes[i] = 1 then
      insert into toolwright.entries values (own, keys[i], contents[i]) on conflict do nothing;
    else
      insert into toolwright.entries values (own, keys[i], contents[i])
        on conflict (namespace, key) do update set value = excluded.value;
    end if;
    written := written || found;
  end loop;
  perform toolwright.settle_namespace(own, idle_ms, max_ms);
  return written;
end $$;

create function toolwright.increment_entries(
  wanted bytea, keys bytea[], amounts bigint[], idle_ms double precision, max_ms double precision
) returns bigint[] language plpgsql as $$
declare
  own bigint := toolwright.open_namespace(wanted);
  sums bigint[] := '{}';
  old text;
  total numeric;
begin
  for i in 1 .. cardinality(keys) loop
    select encode(value, 'escape') into old from toolwright.entries where namespace = own and key = keys[i];
    if old !~ '^-?[0-9]{1,16}$' then raise 'not a counter' using errcode = 'TW001'; end if;
    total := coalesce(old, '0')::numeric + amounts[i];
    if abs(total) > 9007199254740991 then raise 'not a counter' using errcode = 'TW001'; end if;
    insert into toolwright.entries values (own, keys[i], convert_to(total::text, 'UTF8'))
      on conflict (namespace, key) do update set value = excluded.value;
    sums := sums || total::bigint;
  end loop;
  perform toolwright.settle_namespace(own, idle_ms, max_ms);
  return sums;
end $$;

-- Removes some entries, or the namespace when `keys` is null.
create function toolwright.delete_entries(wanted bytea, keys bytea[]) returns void language plpgsql as $$
declare
  own bigint;
begin
  if keys is null then
    delete from toolwright.namespaces where name = wanted;
    return;
  end if;
  select id into own from toolwright.namespaces where name = wanted for update;
  delete from toolwright.entries where namespace = own and key = any(keys);
  perform toolwright.settle_namespace(own, null, null);
end $$;

create function toolwright.touch_namespace(wanted bytea, idle_ms double precision, max_ms double precision)
returns boolean language plpgsql as $$
declare
  own bigint;
begin
  select id into own from toolwright.namespaces
    where name = wanted and (expires_at is null or expires_at > clock_timestamp()) for update;
  if not found then return false; end if;
  perform toolwright.settle_namespace(own, idle_ms, max_ms);
  return true;
end $$;

create function toolwright.purge_namespaces(most integer) returns void language sql as $$
  delete from toolwright.namespaces where id in (
    select id from toolwright.namespaces where expires_at <= clock_timestamp() limit most for update skip locked
  );
$$;
