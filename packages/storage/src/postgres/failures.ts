import { messageOf, ToolwrightError } from '../errors.ts';

const RIGHTS =
  'GRANT CREATE ON DATABASE, or USAGE on the schema toolwright and ALL on its tables, sequences and functions';

/** What to do about an error of PostgreSQL, by the start of its SQLSTATE. The longest start decides. */
const FIXES: Readonly<Record<string, string>> = {
  '22': 'Upgrade Toolwright, or report this.',
  '25006': 'The database is read-only: connect to the primary, and set default_transaction_read_only to off.',
  '28': 'Check the user and the password in the URL, and pg_hba.conf.',
  '3D000': 'Create the database: createdb, or CREATE DATABASE.',
  '3F000': 'A part of the schema toolwright is missing: restore the database from a backup.',
  '42501': `The user of the URL has too few rights: ${RIGHTS}.`,
  '42': 'A part of the schema toolwright is missing: restore the database from a backup.',
  '53100': 'The disk of the database is full: free space there (see "df -h").',
  '53300': 'Too many connections: raise max_connections, or run fewer processes.',
  '54': 'A key or a value is too large for PostgreSQL: keys may have 2,000 bytes.',
  XX001: 'The database is damaged: restore it from a backup.',
  XX002: 'An index of the database is damaged: run REINDEX.',
};
const OTHER_FIX = 'Check that it runs and accepts connections.';

/** Returns the SQLSTATE of an error of PostgreSQL, or the code of an error of the connection. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Returns the error of a statement or a connection that failed. `address` names the database. */
export function postgresFailure(address: string, error: unknown): ToolwrightError {
  if (error instanceof ToolwrightError) return error;
  const code = codeOf(error);
  if (code === 'TW001') {
    const message = `An entry of PostgreSQL at ${address} is not a counter: it must be a whole number. Delete the entry.`;
    return new ToolwrightError('STORE_UNAVAILABLE', message, { cause: error });
  }
  const fix = FIXES[code] ?? FIXES[code.slice(0, 2)] ?? OTHER_FIX;
  const text = `PostgreSQL at ${address} failed: ${textOf(error)}. ${fix}`;
  const details = code === '53100' ? { errno: 'ENOSPC', disk: 'database' } : {};
  return new ToolwrightError('STORE_UNAVAILABLE', text, { cause: error, details });
}

/** Returns whether a connection ended, so that a repeated read may succeed on another one. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return /^(57P0[12]|08\w{3}|ECONNRESET|EPIPE)$/.test(code) || /Connection terminated/i.test(messageOf(error));
}

/** Errors of several addresses of one host have an empty message. */
function textOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(first).replace(/\.$/, '');
}
