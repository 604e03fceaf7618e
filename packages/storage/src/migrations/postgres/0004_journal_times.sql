-- When each line of a journal was added, by the clock of the database.
alter table toolwright.journal_lines add column added_at timestamptz not null default clock_timestamp();
