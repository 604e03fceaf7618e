import { createHash } from 'node:crypto';
import type { Database, Query, Row, SqlValue } from '../database.ts';
import { ToolwrightError } from '../errors.ts';
import { unavailable } from '../store.ts';

/** How the engines store the values of a column. A copied time has whole milliseconds. */
type Kind = 'text' | 'uuid' | 'number' | 'boolean' | 'bytes' | 'time';

/** A row with the same values for both engines: times are numbers of milliseconds. */
export type CopiedRow = Readonly<Record<string, SqlValue>>;

/** A table that both engines have. */
export interface CopiedTable {
  readonly name: string;
  /** The columns that are copied. The first one has the id of a row, or of the row that this one belongs to. */
  readonly columns: Readonly<Record<string, Kind>>;
  /** The columns that give the order of the rows. */
  readonly order: string;
  /** SQL of values that are copied instead of those of a column. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Columns of the target alone. Prepared rows have their values. */
  readonly added?: Readonly<Record<string, Kind>>;
  /** SQL: further changes of a replaced row. They take it from its former owner. */
  readonly replaced?: readonly string[];
}

/** Values that belong to the rows of a table: rows of another table, or the lines of a journal. */
export interface CopiedPart {
  readonly name: string;
  /** Reads all of it in pages, in order. */
  read(query: Query, id: string): AsyncIterable<readonly CopiedRow[]>;
  /** Adds a page to the parts of a row, of which `before` are there. */
  add(query: Query, owner: CopiedRow, rows: readonly CopiedRow[], before: number): Promise<unknown>;
  /** Removes the parts of earlier copies. */
  remove?(query: Query, ids: readonly string[]): Promise<unknown>;
}

/** The choices of a person who copies. */
export interface CopyChoices {
  /** Whether rows that both have are replaced. Default: false, and a target with rows is refused. */
  readonly overwrite?: boolean;
  /** Called after each copied row with the number of all so far. */
  readonly onCopied?: ((count: number) => void) | undefined;
}

export interface CopyRowsOptions extends CopyChoices {
  readonly from: Database;
  readonly to: Database;
  readonly table: CopiedTable;
  readonly parts: readonly Part[];
  /** Leaves out rows, or changes them. */
  readonly prepare?: (rows: readonly CopiedRow[]) => Promise<readonly CopiedRow[]>;
}

/** A part as the source has it, and as the target does. */
type Part = readonly [from: CopiedPart, to: CopiedPart];

/** Rows that source and target have. The hash has hexadecimal digits. */
interface Count {
  readonly rows: number;
  readonly sha256: string;
}

/** The tables and other parts of a copy, by their names. */
export type CopiedCounts = Readonly<Record<string, Count>>;

/** Rows of one transaction, and of one statement. */
const PAGE = 100;
const PART_PAGE = 500;
const text = [(column: string) => `${column}::text`, String] as const;
const KINDS: Readonly<Record<Kind, readonly [read: (column: string) => string, value: (value: unknown) => SqlValue]>> =
  {
    text,
    uuid: text,
    number: [(column) => `${column}::float8`, Number],
    boolean: [(column) => column, Boolean],
    bytes: [(column) => column, (value) => value as Buffer],
    time: [(column) => `(extract(epoch from ${column}) * 1000)::float8`, (value) => Math.round(Number(value))],
  };

/**
 * Copies the rows of a table with their parts, and reads each of them again from the target. A row and its parts are one transaction: an
 * interrupted copy has whole rows, and a second one with `overwrite` finishes it. Raises `CONFIG_INVALID` for a target with rows, unless
 * `overwrite` is set. Raises `STORE_UNAVAILABLE` if the target has other rows afterwards.
 */
export async function copyRows(options: CopyRowsOptions): Promise<CopiedCounts> {
  const { from, to, table, parts, overwrite = false, prepare = async (rows) => rows, onCopied } = options;
  const { name, columns, order } = table;
  const counts = [table, ...parts.map(([part]) => part)].map((part) => ({
    ...part,
    rows: 0,
    hash: createHash('sha256'),
  }));
  const count = (index: number, found: Count) => {
    const own = counts[index];
    if (own) own.rows += found.rows;
    own?.hash.update(found.sha256);
  };
  const type = columns[order] ?? 'bigint';
  const list = `select ${columnsOf(table)}, ${order}::text as position from toolwright.${name}
    where ($1::${type} is null or ${order} > $1::${type}) order by ${order} limit $2`;
  let last: SqlValue = null;
  for (let copied = 0; ; ) {
    const page: readonly Row[] = await from.read(list, [last, PAGE]);
    const rows = await prepare(page.map((row) => rowOf(table, row)));
    if (rows.length > 0) {
      if (copied === 0 && !overwrite) await requireEmpty(to, name);
      await to.transaction(async (query) => {
        count(0, await copyPage(query, rows, options));
        for (const row of rows)
          for (const [index, part] of parts.entries()) count(index + 1, await copyPart(from.read, query, row, part));
      });
      copied += rows.length;
      onCopied?.(copied);
    }
    if (page.length < PAGE) break;
    last = page.at(-1)?.position as SqlValue;
  }
  return Object.fromEntries(counts.map((part) => [part.name, { rows: part.rows, sha256: part.hash.digest('hex') }]));
}

/** Returns a part whose rows are in a table of both engines. */
export function tablePart(table: CopiedTable): CopiedPart {
  const { name, columns, order } = table;
  const select = `select ${columnsOf(table)} from toolwright.${name} where ${Object.keys(columns)[0]} = $1 order by ${order}`;
  return {
    name,
    async *read(query, id) {
      for (let read = 0; ; read += PART_PAGE) {
        const page = await query(`${select} limit ${PART_PAGE} offset $2`, [id, read]);
        if (page.length > 0) yield page.map((row) => rowOf(table, row));
        if (page.length < PART_PAGE) return;
      }
    },
    add: (query, _owner, rows) => query(...insertOf(name, columns, rows)),
    remove: (query, ids) => query(`delete from toolwright.${name} where ${idIn(table)}`, [ids]),
  };
}

/** Copies rows without their parts, and reads them again. */
async function copyPage(query: Query, rows: readonly CopiedRow[], options: CopyRowsOptions): Promise<Count> {
  const { table, parts, overwrite = false } = options;
  const { name, columns, added, replaced = [] } = table;
  const names = Object.keys(columns);
  const [key = ''] = names;
  const ids = rows.map((row) => String(row[key]));
  const [sql, values] = insertOf(name, { ...columns, ...added }, rows);
  const changes = [...names.map((column) => `${column} = excluded.${column}`), ...replaced];
  await query(overwrite ? `${sql} on conflict (${key}) do update set ${changes.join()}` : sql, values);
  if (overwrite) for (const [, part] of parts) await part.remove?.(query, ids);
  const found = await query(`select ${columnsOf(table)} from toolwright.${name} where ${idIn(table)}`, [ids]);
  const byId = new Map(found.map((row) => [String(row[key]), rowOf(table, row)]));
  const copied = [rows.map((row) => rowOf(table, row)), ids.map((id) => byId.get(id) ?? {})];
  return requireSame(name, await Promise.all(copied.map((all) => countOf([all]))));
}

/** Copies one part of a row, and reads it again. */
async function copyPart(source: Query, query: Query, row: CopiedRow, [from, to]: Part): Promise<Count> {
  const id = String(Object.values(row)[0]);
  async function* copied() {
    let before = 0;
    for await (const page of from.read(source, id)) {
      await to.add(query, row, page, before);
      before += page.length;
      yield page;
    }
  }
  const expected = await countOf(copied());
  return requireSame(to.name, [expected, await countOf(to.read(query, id))]);
}

async function countOf(pages: AsyncIterable<readonly CopiedRow[]> | Iterable<readonly CopiedRow[]>): Promise<Count> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of pages) {
    count += rows.length;
    for (const row of rows) hash.update(`${JSON.stringify(Object.values(row))}\n`);
  }
  return { rows: count, sha256: hash.digest('hex') };
}

function requireSame(name: string, [expected, found]: readonly Count[]): Count {
  if (expected && expected.sha256 === found?.sha256) return expected;
  const message = `The target has other contents of ${name} than the source. Stop all processes that use either, check the disk of the target, then run this again with an empty target.`;
  throw unavailable(message, undefined);
}

async function requireEmpty({ read }: Database, name: string): Promise<void> {
  if ((await read(`select 1 as found from toolwright.${name} limit 1`)).length === 0) return;
  const message = `The target has ${name} already. Use an empty database, or --overwrite to replace those that both have.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Returns the SQL that reads all columns. */
function columnsOf({ columns, instead = {} }: CopiedTable): string {
  return Object.entries(columns)
    .map(([name, kind]) => `${KINDS[kind][0](instead[name] ?? name)} as ${name}`)
    .join();
}

function rowOf({ columns }: CopiedTable, row: Row): CopiedRow {
  const values = Object.entries(columns).map(([name, kind]) => [
    name,
    row[name] === null ? null : KINDS[kind][1](row[name]),
  ]);
  return Object.fromEntries(values);
}

function idIn({ columns }: CopiedTable): string {
  const [[name, kind] = ['', '']] = Object.entries(columns);
  return `${name} = any($1::${kind}[])`;
}

function insertOf(
  name: string,
  columns: CopiedTable['columns'],
  rows: readonly CopiedRow[],
): [sql: string, values: SqlValue[]] {
  const names = Object.keys(columns);
  const values: SqlValue[] = [];
  const places = rows.map((row) => {
    const own = Object.entries(columns).map(([column, kind]) => {
      const place = `$${values.push(row[column] ?? null)}`;
      return kind === 'time' ? `to_timestamp(${place}::float8 / 1000.0)` : place;
    });
    return `(${own.join()})`;
  });
  return [`insert into toolwright.${name} (${names.join()}) values ${places.join()}`, values];
}
