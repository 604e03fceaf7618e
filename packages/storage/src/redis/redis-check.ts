import type { Redis } from 'ioredis';
import { messageOf, ToolwrightError } from '../errors.ts';

/** The cluster of a process. */
export interface ClusterName {
  readonly cluster: string;
  /** The id of its database. Without one, only the settings of Redis are checked. */
  readonly id: string | undefined;
}

/**
 * Checks a Redis server at the start of a process. Returns its problems, each with the fix: a server that does not answer, and one that may
 * evict entries. Raises `CONFIG_INVALID` if a cluster with the same name and another database uses it.
 */
export async function checkRedis(redis: Redis, { cluster, id }: ClusterName): Promise<readonly string[]> {
  const { host, port, path } = redis.options;
  const address = path ?? `${host}:${port}`;
  let memory: string;
  let owner: string | null = null;
  try {
    memory = await redis.info('memory');
    if (id !== undefined) {
      await redis.set(`${cluster}:installation`, id, 'NX');
      owner = await redis.get(`${cluster}:installation`);
    }
  } catch (error) {
    return [`Redis at ${address} does not answer (${messageOf(error)}). Check that it runs and has free memory.`];
  }
  if (owner !== null && owner !== id) {
    const message = `Redis at ${address} is used by another cluster with the name "${cluster}". Add cluster=NAME to the URL of the store of one of them, or use another Redis. If its database was replaced, run: redis-cli DEL ${cluster}:installation`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const policy = lineOf(memory, 'maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return [];
  const fix = 'Run: redis-cli CONFIG SET maxmemory-policy noeviction, and set it in redis.conf.';
  return [`Redis at ${address} has maxmemory-policy ${policy}, so it may evict entries of Toolwright. ${fix}`];
}

/** Returns a value of the answer of `INFO`. */
function lineOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
}
