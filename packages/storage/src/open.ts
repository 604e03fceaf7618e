import { join } from 'node:path';
import { ToolwrightError } from './errors.ts';
import { isClusterStore } from './postgres/address.ts';
import { postgresStore } from './postgres.ts';
import { redisStore } from './redis.ts';
import { sqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';
import { memoryStore } from './store.ts';

/**
 * Opens the store that a configuration names, or returns a store object unchanged. Raises `CONFIG_INVALID` for any other
 * name.
 * - `sqlite`: a file in the data folder, for one machine.
 * - `memory`: ends with the process.
 * - A `postgres://` URL: for many machines.
 * - A `redis://` or `rediss://` URL, or the path of a Redis socket: for many machines.
 */
export function openStore(name: string | Store, dataDir: string): Store {
  if (typeof name !== 'string') return name;
  if (name === 'sqlite') return sqliteStore({ path: join(dataDir, 'store.db') });
  if (name === 'memory') return memoryStore();
  if (/^(rediss?:\/)?\//.test(name)) return redisStore({ url: name });
  if (isClusterStore(name)) return postgresStore({ url: name });
  const message = `Unknown store "${name.slice(0, 40)}". Use sqlite, memory, postgres://user@host:5432/database, or redis://host:6379.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
