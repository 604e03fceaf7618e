import { parseJson } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import type { Store } from '@toolwright/pii';
import * as z from 'zod';
import { RIGHTS, SCOPES, type Scope, scopesIn } from '../principal.ts';
import { generateKey, matchesHash, parseKey } from './api-key-text.ts';

/** An API key, without its secret. Times are ISO 8601, UTC. */
export interface ApiKey {
  readonly id: string;
  /** The key gives access to the sessions, tasks and files of this user. */
  readonly user: string;
  readonly name?: string;
  /** Rights over the data of other users. Absent: none. */
  readonly scopes?: readonly Scope[];
  /** The profile of its clients, who can choose no other. Absent: they may choose one. */
  readonly profile?: string;
  readonly createdAt: string;
  /** The key is invalid from this time on. Default: never. */
  readonly expiresAt?: string;
  /** Up to one minute out of date. Absent for a key that was never used. */
  readonly lastUsedAt?: string;
}

/** The properties of a new key. */
export interface NewApiKey {
  readonly user: string;
  readonly name?: string;
  readonly expiresDays?: number;
  /** Default: none. */
  readonly scopes?: readonly string[];
  /** Name of a profile. A key with one has no scope but `executions:read`. Default: none. */
  readonly profile?: string;
}

/** The result of checking a key. */
export type KeyCheck =
  | { readonly is: 'valid'; readonly key: ApiKey }
  /** The secret is valid, but the key has expired. */
  | { readonly is: 'expired' }
  | { readonly is: 'unknown' };

/** The API keys of a store. Changes are visible to other processes at once. All methods raise `STORE_UNAVAILABLE`. */
export interface ApiKeys {
  /** Creates a key. `text` is the only copy of its secret. Raises `CONFIG_INVALID` for a bad user, name, expiry or scope. */
  create(wanted: NewApiKey): Promise<{ readonly key: ApiKey; readonly text: string }>;
  /** Returns all keys, oldest first. `onDamaged` receives the ids of damaged entries, which can be revoked. */
  list(onDamaged: (id: string) => void): Promise<ApiKey[]>;
  /** Revokes a key at once. Returns false for an unknown id. */
  revoke(id: string): Promise<boolean>;
  /** Returns a key by its id, also an expired one; undefined for an unknown or revoked one. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Checks a key. Every failure takes the same time. */
  check(text: string): Promise<KeyCheck>;
  /** Returns whether any key exists, expired ones included. Only then may a server listen beyond loopback. */
  hasKeys(): Promise<boolean>;
}

const KEYS = 'api-keys';
const USES = 'api-keys-used';
/** Milliseconds between two writes of the last use of a key. */
const USE_PRECISION_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_EXPIRES_DAYS = 3_650;
/** Names of users and keys: visible characters, at most 256. */
const NAME = /^[^\p{C}\s](?:[^\p{C}]{0,254}[^\p{C}\s])?$/u;
/** The hash that unknown keys are compared with: their check takes as long as the check of a known key. */
const UNKNOWN_KEY_HASH = generateKey().secretHash;

const recordSchema = z.object({
  id: z.string(),
  user: z.string().min(1),
  name: z.string().optional(),
  // Another version may know more scopes, which give no right here.
  scopes: z.array(z.string()).optional(),
  profile: z.string().optional(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  salt: z.string(),
  hash: z.string(),
});
type KeyRecord = z.infer<typeof recordSchema>;

/** Returns whether a text is a valid user name: 1 to 256 visible characters. */
export function isUserName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text);
}

/** Returns the API keys of a store. `now` returns milliseconds since 1970. */
export function apiKeys(store: Store, now: () => number = Date.now): ApiKeys {
  const usedMs = new Map<string, number>();

  async function recordOf(id: string): Promise<KeyRecord | undefined> {
    const [found] = await store.get(KEYS, [id]);
    return found === undefined ? undefined : parse(id, found);
  }

  async function noteUse(id: string): Promise<void> {
    if (now() - (usedMs.get(id) ?? 0) < USE_PRECISION_MS) return;
    usedMs.set(id, now());
    // A failed write does not refuse the request: the server can still read from a full disk.
    await store.put(USES, [{ key: id, value: iso(now()) }]).catch(() => usedMs.delete(id));
  }

  return {
    async create({ user, name, expiresDays, scopes: wanted = [], profile }) {
      requireName('user', user);
      if (name !== undefined) requireName('name', name);
      if (expiresDays !== undefined && !(expiresDays > 0 && expiresDays <= MAX_EXPIRES_DAYS)) {
        const message = `expiresDays must be 1 to ${MAX_EXPIRES_DAYS}, not ${expiresDays}.`;
        throw new ToolwrightError('CONFIG_INVALID', message);
      }
      const scopes = requireScopes(wanted, profile);
      const { id, text, secretHash } = generateKey();
      const key: ApiKey = {
        id,
        user,
        name,
        scopes: scopes.length > 0 ? scopes : undefined,
        profile,
        createdAt: iso(now()),
        expiresAt: expiresDays === undefined ? undefined : iso(now() + expiresDays * DAY_MS),
      };
      await store.put(KEYS, [{ key: id, value: JSON.stringify({ ...key, ...secretHash }), was: null }]);
      return { key, text };
    },
    async list(onDamaged) {
      const records = new Map<string, KeyRecord>();
      for await (const page of store.list(KEYS)) {
        for (const { key, value } of page) {
          const record = recordSchema.safeParse(parseJson(value.toString())).data;
          if (record) records.set(key, record);
          else onDamaged(key);
        }
      }
      const uses = await store.get(USES, [...records.keys()]);
      return [...records.values()]
        .map((record, index) => toKey(record, uses[index]?.toString()))
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
    },
    async revoke(id) {
      const [found] = await store.get(KEYS, [id]);
      if (found === undefined) return false;
      await store.delete(KEYS, [id]);
      await store.delete(USES, [id]);
      return true;
    },
    async find(id) {
      const record = await recordOf(id);
      return record && toKey(record, undefined);
    },
    async check(text) {
      const parts = parseKey(text);
      if (parts === undefined) return { is: 'unknown' };
      const record = await recordOf(parts.id);
      const isMatch = matchesHash(parts.secret, record ?? UNKNOWN_KEY_HASH);
      if (record === undefined || !isMatch) return { is: 'unknown' };
      if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now()) return { is: 'expired' };
      await noteUse(record.id);
      return { is: 'valid', key: toKey(record, undefined) };
    },
    async hasKeys() {
      for await (const page of store.list(KEYS)) if (page.length > 0) return true;
      return false;
    },
  };
}

function requireName(what: 'user' | 'name', value: string): void {
  if (isUserName(value)) return;
  const message = `The ${what} of a key has 1 to 256 visible characters, without spaces at its ends.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function requireScopes(names: readonly string[], profile: string | undefined): Scope[] {
  const unknown = names.find((name) => !SCOPES.some((scope) => scope === name));
  if (profile !== undefined) requireOwnRights(profile, scopesIn(names));
  if (unknown === undefined) return scopesIn(names);
  const message = `There is no scope ${JSON.stringify(unknown)}. The scopes are: ${SCOPES.join(', ')}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** A right over the data of other users, or over servers, would reach beyond the profile. */
function requireOwnRights(profile: string, scopes: readonly Scope[]): void {
  const wider = RIGHTS.find((scope) => scopes.includes(scope));
  if (wider === undefined) return;
  const message = `A key of the profile ${JSON.stringify(profile)} cannot have the scope "${wider}", which reaches beyond the profile. Create two keys.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function parse(id: string, value: Buffer): KeyRecord {
  const record = recordSchema.safeParse(parseJson(value.toString())).data;
  if (record) return record;
  throw new ToolwrightError('STORE_UNAVAILABLE', `The entry of the API key "${id}" is damaged. Revoke the key.`);
}

function toKey({ salt: _salt, hash: _hash, ...record }: KeyRecord, lastUsedAt: string | undefined): ApiKey {
  return { ...record, scopes: record.scopes && scopesIn(record.scopes), lastUsedAt };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
