/**
 * The constructs of PostgreSQL that statements for both engines use, each with its replacement in SQLite. There, a time is a number of
 * milliseconds, and an array is a JSON text. A write transaction excludes all others, so no row needs a lock.
 */
const CONSTRUCTS: readonly (readonly [RegExp, string])[] = [
  [/\btoolwright\./g, ''],
  [/::(?:bigint|boolean|bytea|float8|integer|json|text|timestamptz|uuid)\b(?:\[\])?/g, ''],
  [/= any\(\$(\d+)\)/g, 'in (select value from json_each($$$1))'],
  [/<> all\(\$(\d+)\)/g, 'not in (select value from json_each($$$1))'],
  [
    /\bunnest\(\$(\d+)\) with ordinality as (\w+) \((\w+), (\w+)\)/g,
    '(select value as $3, key + 1 as $4 from json_each($$$1)) as $2',
  ],
  [/\bextract\(epoch from (clock_timestamp\(\)(?: - [\w.]+(?:\([\w.]+\))?)?)\)/g, '(($1) / 1000.0)'],
  [/\bextract\(epoch from ([\w.]+)\)/g, '($1 / 1000.0)'],
  [/\bto_timestamp\(([^()]*)\)/g, '(($1) * 1000.0)'],
  [/ \* interval '1 millisecond'/g, ''],
  [/\binterval '1 day'/g, '86400000'],
  [/\bdate_trunc\('milliseconds', now\(\)\)/g, 'now()'],
  [/\bgreatest\(/g, 'max('],
  [/\bleast\(/g, 'min('],
  [/ for (?:share|update)(?: of \w+)?(?: skip locked)?\b/g, ''],
];
const CLOCK = 'clock_timestamp()';
const WALL_CLOCK = 'now()';

/** A statement of SQLite. */
export interface SqliteStatement {
  readonly sql: string;
  /** The number of values of the caller that it uses. */
  readonly values: number;
  /** The number of clocks whose values follow. */
  readonly clocks: number;
  /** Whether it returns rows. */
  readonly returns: boolean;
}

/**
 * Translates a statement of PostgreSQL. `clock_timestamp()` becomes the first value after those of the caller, and `now()` the second one:
 * the clock that nobody sets, and that of people.
 */
export function sqliteStatement(text: string): SqliteStatement {
  let sql = text;
  for (const [construct, instead] of CONSTRUCTS) sql = sql.replace(construct, instead);
  const values = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  sql = sql.replaceAll(CLOCK, `$${values + 1}`).replaceAll(WALL_CLOCK, `$${values + 2}`);
  const clocks = text.includes(WALL_CLOCK) ? 2 : text.includes(CLOCK) ? 1 : 0;
  return {
    sql: sql.replace(/\$(\d+)/g, '?$1'),
    values,
    clocks,
    returns: /^\s*(?:pragma|select|with)\b|\breturning\b/i.test(sql),
  };
}
