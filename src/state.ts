import { join } from 'node:path';
import { ToolwrightError } from './errors.ts';
import { memoryStore } from './stores/memory.ts';
import { redisStore } from './stores/redis.ts';
import { sqliteStore } from './stores/sqlite.ts';
import type { Store } from './stores/store.ts';

/**
 * Opens the store that a configuration names: `sqlite` (a file of the data folder, for one machine), `memory` (ends with the
 * process), or the `redis://` or `rediss://` URL of a server or the path
 * of its socket, for many machines. Raises `CONFIG_INVALID` for another name.
 */
export function openStore(name: string, dataDir: string): Store {
  if (name === 'sqlite') return sqliteStore({ path: join(dataDir, 'store.db') });
  if (name === 'memory') return memoryStore();
  if (/^(rediss?:\/)?\//.test(name)) return redisStore({ url: name });
  const message = `There is no store "${name.slice(0, 40)}". Take sqlite, memory, or the URL of a Redis: redis://host:6379.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
