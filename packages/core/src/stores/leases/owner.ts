import { join, resolve } from 'node:path';
import {
  acquireLease,
  type Clock,
  endLease,
  findLease,
  hasExpired,
  type LeasePlace,
  leasesIn,
  type ProcessLease,
  SYSTEM_CLOCK,
} from './process-lease.ts';
import { keepRenewing } from './renewal-thread.ts';

/** Milliseconds between two renewals of the lease, and between two looks for requests of other processes. */
const BEAT_MS = 1_000;

/** This process as an owner of work in a data folder, and the other owners of that folder. */
export interface Owner extends Disposable {
  /** Returns the lease of this process. Takes one for the first work, and another one after a loss. */
  lease(): ProcessLease;
  /** Returns whether a lease is that of this process. */
  isOwn(id: string): boolean;
  /** Returns whether the owner of some work lives. */
  isAlive(id: string): boolean;
  /** Makes sure that a dead owner stays dead, even if it was only paused. Returns false if it lives. Call it before a take-over. */
  end(id: string): boolean;
  /** Calls a function at each beat. Returns a function that ends this. */
  onBeat(beat: () => void): () => void;
  /** Calls a function when this process has lost a lease. Returns a function that ends this. */
  onLost(lost: (id: string) => void): () => void;
}

interface SharedOwner {
  readonly owner: Omit<Owner, typeof Symbol.dispose>;
  users: number;
  close(): void;
}

/** One owner for each data folder, so that a process has one lease and one timer for all its work there. */
const owners = new Map<string, SharedOwner>();

/** Opens this process as an owner in a data folder. The last one to dispose it releases the lease. */
export function openOwner(dataDir: string): Owner {
  const folder = ownersFolder(resolve(dataDir));
  const shared = owners.get(folder) ?? startOwner(folder, SYSTEM_CLOCK, renewInThread);
  owners.set(folder, shared);
  shared.users++;
  const ends: (() => void)[] = [];
  let isOpen = true;
  const keep = (end: () => void) => {
    ends.push(end);
    return end;
  };
  return {
    ...shared.owner,
    onBeat: (beat) => keep(shared.owner.onBeat(beat)),
    onLost: (lost) => keep(shared.owner.onLost(lost)),
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      for (const end of ends) end();
      if (--shared.users > 0) return;
      owners.delete(folder);
      shared.close();
    },
  };
}

/** Returns whether the owner of some work in a data folder lives. Nothing but its lease decides it. */
export function isOwnerAlive(dataDir: string, id: string | undefined): boolean {
  if (id === undefined) return false;
  const folder = ownersFolder(resolve(dataDir));
  return owners.get(folder)?.owner.isAlive(id) ?? isLeaseAlive(folder, id, SYSTEM_CLOCK);
}

/** Returns the number of processes whose leases in a data folder have not expired. */
export function countLivingOwners(dataDir: string): number {
  return leasesIn(ownersFolder(resolve(dataDir))).filter((lease) => !hasExpired(lease, SYSTEM_CLOCK)).length;
}

/** Returns the folder of the leases of a data folder. */
export function ownersFolder(dataDir: string): string {
  return join(dataDir, 'owners');
}

function isLeaseAlive(folder: string, id: string, clock: Clock): boolean {
  const found = findLease(folder, id);
  return found !== undefined && !hasExpired(found, clock);
}

function renewInThread(place: LeasePlace): () => void {
  return keepRenewing({ place, everyMs: BEAT_MS }).stop;
}

/**
 * Starts a new owner: for {@link openOwner}, and for tests with a clock. `keep` renews a lease until its result is called. Without it,
 * the lease is renewed by its use and at each second beat.
 */
export function startOwner(folder: string, clock: Clock, keep?: (place: LeasePlace) => () => void): SharedOwner {
  const beats = new Set<() => void>();
  const losses = new Set<(id: string) => void>();
  let current: ProcessLease | undefined;
  let endRenewals: (() => void) | undefined;
  const lose = (lost: ProcessLease) => {
    if (current === lost) current = undefined;
    endRenewals?.();
    for (const tell of [...losses]) tell(lost.id);
  };
  const timer = setInterval(() => {
    const held = current;
    try {
      if (held && !held.isHeld()) lose(held);
    } catch {
      // The next beat tries again. Meanwhile `isHeld` raises the error before each effect.
    }
    for (const beat of [...beats]) beat();
  }, BEAT_MS).unref();
  const isOwn = (id: string) => current?.id === id;
  const isAlive = (id: string) => (current?.id === id ? current.isHeld() : isLeaseAlive(folder, id, clock));
  const listen = <Listener>(listeners: Set<Listener>, listener: Listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    users: 0,
    owner: {
      lease() {
        const held = current;
        if (held?.isHeld()) return held;
        if (held) lose(held);
        current = acquireLease(folder, clock);
        endRenewals = keep?.(current.place);
        return current;
      },
      isOwn,
      isAlive,
      end(id) {
        if (isAlive(id)) return false;
        const found = findLease(folder, id);
        return found === undefined || endLease(found);
      },
      onBeat: (beat) => listen(beats, beat),
      onLost: (lost) => listen(losses, lost),
    },
    close() {
      clearInterval(timer);
      endRenewals?.();
      current?.release();
      current = undefined;
    },
  };
}
