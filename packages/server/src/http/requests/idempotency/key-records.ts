import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '@toolwright/core';
import type { DueTimes } from '@toolwright/core/internal';
import * as z from 'zod';
import { folderOwner, onlyOwner, storedOwner } from './key-owner.ts';

/** Milliseconds for which a key is kept. */
export const KEY_LIFETIME_MS: number = 24 * 60 * 60 * 1000;
/** The most ended keys of one user. The oldest are removed, 100 keys later at the latest. */
export const MAX_USER_RECORDS = 1_000;
/** A larger answer is not stored a second time: the journal of its execution has it. */
export const MAX_STORED_ANSWER_BYTES: number = 16 * 1024;
/** Claims of a user after which the old keys are removed. */
const CLAIMS_PER_PURGE = 100;
const LIFETIME = { idleMs: KEY_LIFETIME_MS };
/** Entries in one change of the store. */
const PAGE = 500;

const recordSchema = z.object({
  fingerprint: z.string(),
  /** Id of the execution or the task, chosen before it starts. */
  id: z.string(),
  claimedMs: z.number(),
  /** The process that claimed the key: the id of its lease, which processes of the same data folder or cluster can judge. */
  owner: z.object({ folder: z.string(), lease: z.string(), instance: z.string() }),
  hasEnded: z.boolean(),
  /** The redacted answer, as the client received it. */
  answer: z.unknown().optional(),
});

/** The durable record of a key: the id of the execution or the task that the key has started. */
export type KeyRecord = z.infer<typeof recordSchema>;

/** The keys in the store, which survive the process. All methods raise `STORE_UNAVAILABLE`. */
export interface KeyRecords {
  /**
   * Claims a key for new work, atomically for all processes. Returns the record of an earlier request if the key is taken.
   * `instead` is such a record, which the claim replaces.
   */
  claim(user: string, key: string, work: { fingerprint: string; id: string }, instead?: KeyRecord): Promise<KeyClaim>;
  /** Adds the answer of ended work, within the limit. */
  end(user: string, key: string, answer: unknown): Promise<void>;
  /** Frees a key whose work had no effect. */
  release(user: string, key: string): Promise<void>;
  /** Returns whether the process that claimed a key has lost it for ever: it can have no effect any more. */
  hasLostOwner(record: KeyRecord): Promise<boolean>;
  /** Returns whether this process can claim keys. It takes a new lease after a loss. */
  isReady(): boolean;
  /** Ends the claims of this process: others may take over keys whose work has not started. */
  close(): Promise<void>;
}

/** The outcome of a claim. */
export type KeyClaim =
  | { readonly earlier: KeyRecord }
  /** The key is claimed. `check` raises `OWNERSHIP_LOST` once this process may have lost it. */
  | { readonly check: () => void };

/** Open instances of this process. */
const instances = new Set<string>();

/**
 * Opens the keys of a store. A cluster has one store; without it and without a data folder, no other process has the keys. The clock of the due
 * times is that of the store where processes share it.
 */
export function openKeyRecords(store: Store, dataDir: string | undefined, { dueIn, leftMs }: DueTimes): KeyRecords {
  const isShared = store.name === 'postgres';
  const owner = isShared ? storedOwner(store) : dataDir === undefined ? onlyOwner() : folderOwner(dataDir);
  const instance = randomUUID();
  const claims = new Map<string, number>();
  instances.add(instance);

  const isExpired = ({ claimedMs }: KeyRecord) => leftMs(claimedMs + KEY_LIFETIME_MS) <= 0;
  async function read(user: string, key: string): Promise<{ bytes: Buffer; record: KeyRecord } | undefined> {
    const [bytes] = await store.get(namespaceOf(user), [hashOf(key)]);
    return bytes && { bytes, record: parse(bytes) };
  }
  async function write(user: string, key: string, record: KeyRecord, was: Buffer | null): Promise<boolean> {
    const change = { key: hashOf(key), value: JSON.stringify(record), was };
    const [isWritten = false] = await store.put(namespaceOf(user), [change], LIFETIME);
    return isWritten;
  }

  async function purgeNowAndThen(user: string): Promise<void> {
    const count = claims.get(user) ?? 0;
    claims.set(user, count + 1);
    if (count % CLAIMS_PER_PURGE !== 0) return;
    const expired: string[] = [];
    const ended: { readonly key: string; readonly claimedMs: number }[] = [];
    for await (const page of store.list(namespaceOf(user))) {
      for (const { key, value } of page) {
        const record = parse(value);
        if (isExpired(record)) expired.push(key);
        else if (record.hasEnded) ended.push({ key, claimedMs: record.claimedMs });
      }
    }
    const over = ended.sort((a, b) => b.claimedMs - a.claimedMs).slice(MAX_USER_RECORDS);
    const removed = [...expired, ...over.map(({ key }) => key)];
    for (let at = 0; at < removed.length; at += PAGE) {
      await store.delete(namespaceOf(user), removed.slice(at, at + PAGE));
    }
  }

  return {
    async claim(user, key, work, instead) {
      await purgeNowAndThen(user);
      const { id: lease, check } = await owner.lease();
      const holder = { folder: owner.folder(), lease, instance };
      const claimedMs = dueIn(KEY_LIFETIME_MS) - KEY_LIFETIME_MS;
      const record: KeyRecord = { ...work, claimedMs, owner: holder, hasEnded: false };
      for (;;) {
        const found = await read(user, key);
        if (found && !isExpired(found.record) && found.record.id !== instead?.id) return { earlier: found.record };
        if (await write(user, key, record, found?.bytes ?? null)) return { check };
      }
    },
    async end(user, key, answer) {
      const found = await read(user, key);
      if (!found) return;
      const fits = Buffer.byteLength(JSON.stringify(answer) ?? '') <= MAX_STORED_ANSWER_BYTES;
      await write(user, key, { ...found.record, hasEnded: true, answer: fits ? answer : undefined }, found.bytes);
    },
    async release(user, key) {
      await store.delete(namespaceOf(user), [hashOf(key)]);
    },
    async hasLostOwner({ owner: { folder, lease, instance: holder } }) {
      // The lease of a process with another data folder is not to be seen here.
      if (folder !== owner.folder()) return false;
      // This instance asks, so it does not work on the key.
      if (owner.isOwn(lease)) return holder === instance || !instances.has(holder);
      return owner.end(lease);
    },
    isReady: owner.isReady,
    async close() {
      instances.delete(instance);
      await owner.close();
    },
  };
}

function namespaceOf(user: string): string {
  return `idempotency:${hashOf(user)}`;
}

/** Users and keys are texts of clients, so only their hashes are names in the store. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function parse(bytes: Buffer): KeyRecord {
  return recordSchema.parse(JSON.parse(bytes.toString()));
}
