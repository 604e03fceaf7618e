import { createReadStream } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditRecord } from '@toolwright/pii';
import { openPostgres } from '../postgres/connection.ts';
import { storable } from '../postgres/escaped-text.ts';

/** The folder of audit records in a data folder. */
const FOLDER = 'audit';
const ROWS = 500;
// The time of a copied record is that of its use, so that a second copy finds it.
const ADD = `insert into toolwright.audit_records (at, user_id, session, record)
  select n.at, n.user_id, n.session, n.record
  from unnest($1::timestamptz[], $2::text[], $3::text[], $4::jsonb[]) as n (at, user_id, session, record)
  where not exists (
    select from toolwright.audit_records a where a.user_id = n.user_id and a.at = n.at and a.record = n.record
  ) returning id`;
const LIST = `select id::text, at, record from toolwright.audit_records where id > $1 order by id limit ${ROWS}`;

/** Copies the audit records of a data folder to a database that does not have them yet. Returns their number. Raises `STORE_UNAVAILABLE`. */
export async function importAuditRecords(dataDir: string, store: string): Promise<number> {
  await using database = openPostgres({ url: store });
  const folder = join(dataDir, FOLDER);
  let count = 0;
  const add = async (records: readonly AuditRecord[]) => {
    if (records.length === 0) return;
    const columns = [
      records.map(({ at }) => at),
      records.map(({ user }) => storable(user)),
      records.map(({ session }) => storable(session)),
      records.map((record) => storable(JSON.stringify(record)).replaceAll('\\u0000', '\\ufffd')),
    ];
    count += (await database.write(ADD, columns)).length;
  };
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    if (!name.endsWith('.jsonl')) continue;
    let records: AuditRecord[] = [];
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      const record = parse(line);
      if (record) records.push(record);
      if (records.length < ROWS) continue;
      await add(records);
      records = [];
    }
    await add(records);
  }
  return count;
}

/**
 * Copies the audit records of a database into a data folder: a file for each month, next to those that the folder has. Returns their
 * number. Raises `STORE_UNAVAILABLE`.
 */
export async function exportAuditRecords(store: string, dataDir: string): Promise<number> {
  await using database = openPostgres({ url: store });
  const folder = join(dataDir, FOLDER);
  let [last, count] = ['0', 0];
  for (;;) {
    const page = await database.read(LIST, [last]);
    const months = new Map<string, string[]>();
    for (const { at, record } of page) {
      const time = at instanceof Date ? at.toISOString() : String(at);
      const month = String(Object(record).at ?? time).slice(0, 'yyyy-mm'.length);
      months.set(month, [...(months.get(month) ?? []), `${JSON.stringify(record)}\n`]);
    }
    if (months.size > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [month, lines] of months) {
      await using file = await open(join(folder, `${month}.cluster.jsonl`), 'a', 0o600);
      await file.write(lines.join(''));
    }
    count += page.length;
    last = String(page.at(-1)?.id ?? last);
    if (page.length < ROWS) return count;
  }
}

/** A line that a crash has cut off is none. */
function parse(line: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(line);
    return typeof record?.at === 'string' && typeof record.user === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}
