-- Distinguishes clusters with the same name.
alter table toolwright.installation add column id uuid not null default gen_random_uuid();

-- The keys that all processes of a cluster have: the ids of the keys, and the key of journals, encrypted with the master key.
create table toolwright.cluster_keys (
  one boolean primary key default true check (one),
  master_key text not null,
  journal_key text not null,
  sealed_journal_key bytea not null
);
