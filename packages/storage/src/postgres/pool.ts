import type { Client, ClientConfig, Pool } from 'pg';
import { unavailable } from '../store.ts';

/** Opens connections without a look at the schema. */
export async function openPool(
  url: string,
  { timeoutMs, connections }: { readonly timeoutMs: number; readonly connections: number },
): Promise<Pool> {
  const pool = new (await loadLibrary()).Pool({
    connectionString: url,
    application_name: 'toolwright',
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    // An idle connection does not keep a process alive.
    allowExitOnIdle: true,
  });
  // A restart of the server ends idle connections. The pool replaces them; without a listener the process would exit.
  pool.on('error', () => undefined);
  return pool;
}

/** Opens one connection, whose statements may take any time. */
export async function openClient(url: string, timeoutMs: number, more: ClientConfig = {}): Promise<Client> {
  const options = { connectionString: url, application_name: 'toolwright', connectionTimeoutMillis: timeoutMs };
  const client = new (await loadLibrary()).Client({ ...options, ...more });
  // A connection that ends between two statements rejects the next one; without a listener the process would exit.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function loadLibrary(): Promise<{ Pool: typeof Pool; Client: typeof Client }> {
  try {
    const { Client, Pool } = await import('pg');
    return { Client, Pool };
  } catch (error) {
    throw unavailable('The PostgreSQL store needs the package pg, which is not installed. Run: npm install pg', error);
  }
}
