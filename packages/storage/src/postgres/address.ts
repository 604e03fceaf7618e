import { ToolwrightError } from '../errors.ts';

/** The parts of the URL of a PostgreSQL database. */
export interface PostgresAddress {
  /** The URL for the client, without the parameters of Toolwright. */
  readonly url: string;
  /** Host, port and database without user and password: for error messages. */
  readonly name: string;
  /** The name of the cluster that uses the database. */
  readonly cluster: string;
}

export const DEFAULT_CLUSTER = 'toolwright';

/** Returns the URL of a store that is PostgreSQL: its processes are a cluster. Undefined for other stores, and for store objects. */
export function clusterUrl(store: unknown): string | undefined {
  return typeof store === 'string' && /^postgres(ql)?:\/\//.test(store) ? store : undefined;
}

/** Returns whether the processes with this store are a cluster. */
export function isClusterStore(store: unknown): boolean {
  return clusterUrl(store) !== undefined;
}

/**
 * Parses the URL of a database: `postgres://user:password@host:5432/database?cluster=name`, or with `host=/folder` for a Unix
 * socket. Raises `CONFIG_INVALID`.
 */
export function parsePostgresUrl(text: string): PostgresAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    // The text may have a password.
    const message = 'The URL of the PostgreSQL store is invalid. Use postgres://user:password@host:5432/database.';
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  }
  const cluster = url.searchParams.get('cluster') ?? DEFAULT_CLUSTER;
  if (!/^[\w.-]{1,64}$/.test(cluster)) {
    const message = `The cluster name "${cluster.slice(0, 64)}" in the URL of the PostgreSQL store is invalid. Use 1 to 64 letters, digits, "_", "-" or ".".`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  url.searchParams.delete('cluster');
  const socket = url.searchParams.get('host');
  const database = decodeURIComponent(url.pathname.slice(1)) || url.username || 'postgres';
  const host = socket ?? `${url.hostname || 'localhost'}:${url.port || 5432}`;
  return { url: url.href, name: `${host}/${database}`, cluster };
}
