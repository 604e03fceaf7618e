// The durable state of Toolwright: records, tables, leases and large contents in SQLite, PostgreSQL or Redis.
export type { Durability } from './durability.ts';
export { openStore } from './open.ts';
export { postgresStore } from './postgres.ts';
export { redisStore } from './redis.ts';
export { sqliteStore } from './sqlite.ts';
export type { Store } from './store.ts';
