import type { AuditRecord, AuditSink } from '@toolwright/pii';
import type { Postgres } from './connection.ts';
import { storable } from './escaped-text.ts';

const INSERT = `insert into toolwright.audit_records (user_id, session, record)
  select * from unnest($1::text[], $2::text[], $3::jsonb[])`;
/** Records of one statement. */
const MAX_ROWS = 1_000;

interface Waiting {
  readonly record: AuditRecord;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes audit records to a table of PostgreSQL: those of one turn of the event loop in one commit. The returned promise rejects with
 * `STORE_UNAVAILABLE` if a record cannot be written: the value is then neither restored nor derived.
 */
export function auditTable(database: Postgres): AuditSink {
  let waiting: Waiting[] = [];

  async function write(rows: readonly Waiting[]): Promise<void> {
    const records = rows.map(({ record }) => record);
    const columns = [
      records.map(({ user }) => storable(user)),
      records.map(({ session }) => storable(session)),
      records.map((record) =>
        JSON.stringify(record, (_key, value) => (typeof value === 'string' ? storable(value) : value)),
      ),
    ];
    try {
      await database.write(INSERT, columns);
      for (const { resolve } of rows) resolve();
    } catch (error) {
      for (const { reject } of rows) reject(error);
    }
  }

  function flush(): void {
    const rows = waiting;
    waiting = [];
    for (let at = 0; at < rows.length; at += MAX_ROWS) void write(rows.slice(at, at + MAX_ROWS));
  }

  return (record) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ record, resolve, reject });
    });
}
