import { randomUUID } from 'node:crypto';
import { type Store, ToolwrightError } from '@toolwright/core';
import { folderIdentity, openOwner } from '@toolwright/core/internal';

/** This process as the owner of idempotency keys. */
export interface KeyOwner {
  /** The place whose processes can judge each other's leases. */
  folder(): string;
  /** Returns the lease of this process. `check` raises `OWNERSHIP_LOST` once this process may have lost it. */
  lease(): KeyLease | Promise<KeyLease>;
  isOwn(lease: string): boolean;
  /** Returns whether the process of a lease has lost it for ever. */
  end(lease: string): boolean | Promise<boolean>;
  close(): void;
}

export interface KeyLease {
  readonly id: string;
  check(): void;
}

/** Milliseconds after which the lease of a dead process ends. */
export const KEY_LEASE_MS = 15_000;
const ALIVE = 'alive';

/** An owner whose store no other process has. */
export function onlyOwner(): KeyOwner {
  const id = randomUUID();
  const lease = { id, check: () => undefined };
  return { folder: () => id, lease: () => lease, isOwn: () => true, end: () => false, close: () => undefined };
}

/** An owner among the processes of one data folder. */
export function folderOwner(dataDir: string): KeyOwner {
  const owner = openOwner(dataDir);
  let folder: string | undefined;
  return {
    folder() {
      folder ??= folderIdentity(dataDir);
      return folder;
    },
    lease: owner.lease,
    isOwn: owner.isOwn,
    end: owner.end,
    close: () => owner[Symbol.dispose](),
  };
}

/** An owner among the processes of a cluster. Leases end by the clock of the store, and an ended one never returns. */
export function storedOwner(store: Pick<Store, 'get' | 'put' | 'touch'>, leaseMs: number = KEY_LEASE_MS): KeyOwner {
  const id = randomUUID();
  const space = `process:${id}`;
  const lifetime = { idleMs: leaseMs };
  let opening: Promise<unknown> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let renewedAt = 0;
  let isLost = false;

  async function renew(): Promise<void> {
    const sentAt = performance.now();
    if (await store.touch(space, lifetime)) renewedAt = sentAt;
    else isLost = true;
  }
  async function open(): Promise<void> {
    const sentAt = performance.now();
    await store.put(space, [{ key: ALIVE, value: '' }], lifetime);
    renewedAt = sentAt;
    timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
    timer.unref();
  }
  const lease: KeyLease = {
    id,
    check() {
      if (!isLost && performance.now() - renewedAt < leaseMs) return;
      const message = `This process could not renew its lease for ${leaseMs} ms, so another one may work on the request. Retry with the same Idempotency-Key.`;
      throw new ToolwrightError('OWNERSHIP_LOST', message);
    },
  };
  return {
    folder: () => 'cluster',
    async lease() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      await opening;
      return lease;
    },
    isOwn: (other) => other === id,
    async end(other) {
      const [alive] = await store.get(`process:${other}`, [ALIVE]);
      return alive === undefined;
    },
    close: () => clearInterval(timer),
  };
}
