import { expect } from 'vitest';
import { needsPostgres, useDatabase } from '../../../../test/fixtures/postgres.ts';
import { memorySqlite } from '../sqlite/database.ts';

/** The types of columns of PostgreSQL, with those of SQLite for the same values. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'integer',
  boolean: 'integer',
  bytea: 'blob',
  'double precision': 'real',
  integer: 'integer',
  jsonb: 'text',
  text: 'text',
  'timestamp with time zone': 'real',
  uuid: 'text',
};
/** Tables and columns that one engine alone has: a name with a dot is a column. */
const ONLY = {
  sqlite: [
    // The monotonic clock of the machine, and the leases of its processes.
    ...['clocks', 'processes'],
    // The index of lists: PostgreSQL has arrays and a text search.
    ...['execution_changes', 'execution_rows.number', 'execution_tools', 'execution_words'],
  ],
  postgres: [
    // Each execution has a lease of its own, and its journal is rows.
    ...['executions.day', 'executions.expires_at', 'executions.fence', 'journal_lines'],
    ...['execution_rows.status_change', 'execution_rows.tools', 'execution_rows.words'],
    // On one machine, these are files: contents, workspaces, audit records and keys. The file store.db has the entries.
    ...['blobs', 'chunks', 'contents', 'folders', 'folder_blobs', 'folder_waiters', 'audit_records', 'cluster_keys'],
    ...['namespaces', 'entries'],
    // State that other machines must see, and the versions of the schema.
    ...['rate_windows', 'work_listeners', 'installation', 'migrations'],
  ],
};

const COLUMNS = `select table_name || '.' || column_name as name, data_type as type, is_nullable = 'YES' as nullable
  from information_schema.columns c where table_schema = 'toolwright'
    and not exists (select from pg_inherits i where i.inhrelid = to_regclass('toolwright.' || table_name))`;
const SQLITE_COLUMNS = `select m.name || '.' || c.name as name, c.type as type, c."notnull" + c.pk = 0 as nullable
  from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite%'`;

/** Returns the table of a column. The full-text index has tables of its own. */
const tableOf = (column: string) => column.split('.')[0]?.replace(/^(execution_words)_.*/, '$1');

needsPostgres.describe('both engines', () => {
  const server = useDatabase();

  needsPostgres.it('have the same tables, with the same columns', async () => {
    await using memory = memorySqlite();
    const postgres = (await server.database.read(COLUMNS)).map(({ name, type, nullable }) => [
      String(name),
      `${TYPES[String(type)]}${nullable ? '?' : ''}`,
    ]);
    const sqlite = (await memory.read(SQLITE_COLUMNS)).map(({ name, type, nullable }) => [
      String(name),
      `${String(type).toLowerCase()}${nullable ? '?' : ''}`,
    ]);
    const without = (columns: string[][], only: readonly string[]) =>
      Object.fromEntries(columns.filter(([name = '']) => !only.some((own) => own === name || own === tableOf(name))));
    expect(without(sqlite, ONLY.sqlite)).toEqual(without(postgres, ONLY.postgres));
  });
});
