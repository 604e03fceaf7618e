import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { dataFolderError } from '../data-folder/data-folder.ts';
import { namesIn } from '../data-folder/own-files.ts';
import { monotonicMs, thisMachine } from '../machine-clock.ts';
import { createLeaseMemory, type LeaseTimes, openLeaseMemory } from './lease-memory.ts';

/** Milliseconds without a renewal after which a process counts as dead, and others may take over its work. */
export const LEASE_TTL_MS = 10_000;

/**
 * The clocks of a process. Processes of one machine compare their monotonic clocks, so nobody who sets a clock ends a lease. The wall
 * clocks of machines that share a data folder must differ by less than half of the time to live.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since the start of the machine. Nobody sets it. */
  monotonic(): number;
  /** Names the machine whose monotonic clock it is. */
  readonly machine: string;
}

export const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: monotonicMs, machine: thisMachine() };

/** Where a lease is: enough for another thread of its process to renew it. */
export interface LeasePlace {
  readonly folder: string;
  readonly id: string;
  readonly memory: SharedArrayBuffer;
}

/**
 * The lease of a process: its right to work in a data folder. All its executions, tasks and keys name it as their owner, so one
 * renewal covers all of them. It is a file whose name has the time at which it expires. Its owner renews it by renaming the file.
 * Others end an expired lease by deleting the file. Only one of the two finds the file: an owner that was paused finds none. An
 * owner that was paused for the time to live gives its lease up itself, because others have reported its work as interrupted.
 */
export interface ProcessLease {
  /** Unique for ever. After a loss, the process gets a lease with another id. */
  readonly id: string;
  readonly place: LeasePlace;
  /** Returns whether this process still has the lease. Renews an old lease first. Call it before each effect. */
  isHeld(): boolean;
  /** Raises `OWNERSHIP_LOST` without the lease. */
  check(): void;
  /** Returns false if the lease is lost. */
  renew(): boolean;
  release(): void;
}

/** The lease of any process, as its file names it. */
export interface FoundLease {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  /** By the clock that started with the machine. */
  readonly expiresMonotonicMs: number;
  readonly machine: string;
}

const NAME = /^([\da-f-]{36})\.(\d+)\.(\d+)\.([\da-f]{8})$/;
/** Looks for a file. A folder that is read while a file is renamed may show neither of its names. */
const LOOKS = 3;

/** Takes a new lease in a folder. Raises `CONFIG_INVALID` when the folder cannot be written to. */
export function acquireLease(folder: string, clock: Clock): ProcessLease {
  const place = { folder, id: randomUUID(), memory: createLeaseMemory() };
  const times = timesOf(clock);
  openLeaseMemory(place.memory, LEASE_TTL_MS).setRenewed(times);
  inFolder(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(pathOf(place, times, clock), place.id, { flag: 'wx', mode: 0o600 });
  });
  return leaseAt(place, clock);
}

/** Opens a lease of this process, in any of its threads. */
export function leaseAt(place: LeasePlace, clock: Clock): ProcessLease {
  const state = openLeaseMemory(place.memory, LEASE_TTL_MS);
  const path = () => pathOf(place, state.renewed(), clock);
  const give = () => {
    if (!state.isLost()) rmSync(path(), { force: true });
    state.lose();
  };
  const renew = () =>
    state.alone(() => {
      const times = timesOf(clock);
      if (times.monotonic - state.renewed().monotonic >= LEASE_TTL_MS) give();
      if (state.isLost()) return false;
      const [from, to] = [path(), pathOf(place, times, clock)];
      if (inFolder(place.folder, () => unlessMissing(() => renameSync(from, to)))) state.setRenewed(times);
      else state.lose();
      return !state.isLost();
    });
  const isHeld = () => {
    const { wall, monotonic } = state.renewed();
    // Nobody ends a younger lease. Half of the time allows for clocks that differ; a clock that was set back proves nothing.
    const ages = [clock.now() - wall, clock.monotonic() - monotonic];
    return !state.isLost() && (ages.every((ageMs) => ageMs >= 0 && ageMs < LEASE_TTL_MS / 2) || renew());
  };
  const check = () => {
    if (!isHeld()) throw ownershipLost();
  };
  return {
    id: place.id,
    place,
    isHeld,
    check,
    renew,
    release: () => state.alone(give),
  };
}

/** Finds the lease with an id; undefined if it was released or ended. */
export function findLease(folder: string, id: string): FoundLease | undefined {
  for (let look = 0; look < LOOKS; look++) {
    const found = leasesIn(folder).find((lease) => lease.id === id);
    if (found) return found;
  }
  return undefined;
}

/** Returns the leases in a folder. */
export function leasesIn(folder: string): FoundLease[] {
  return namesIn(folder).flatMap((name) => {
    const [, id, wall, monotonic, machine] = NAME.exec(name) ?? [];
    if (id === undefined || machine === undefined) return [];
    return { id, path: join(folder, name), expiresMs: Number(wall), expiresMonotonicMs: Number(monotonic), machine };
  });
}

/** Returns whether a lease was not renewed in time. */
export function hasExpired(lease: FoundLease, clock: Clock): boolean {
  const leftMs = lease.expiresMonotonicMs - clock.monotonic();
  // A longer time is that of a machine that has started again.
  const isComparable = lease.machine === clock.machine && leftMs <= LEASE_TTL_MS + 1;
  return isComparable ? leftMs <= 0 : lease.expiresMs <= clock.now();
}

/** Ends an expired lease for ever. Returns false if its owner has renewed it. */
export function endLease({ path }: FoundLease): boolean {
  return inFolder(dirname(path), () => unlessMissing(() => unlinkSync(path)));
}

/** Returns the error of a process that does not own its work any more. `lease` names its lease. */
export function ownershipLost(lease = `of the data folder within ${LEASE_TTL_MS} ms`): ToolwrightError {
  const message = `This process did not renew its lease ${lease}, so another process may have taken its work over. This process has stopped the work and writes nothing more. Read the execution by its id.`;
  return new ToolwrightError('OWNERSHIP_LOST', message);
}

function timesOf(clock: Clock): LeaseTimes {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

function pathOf({ folder, id }: LeasePlace, { wall, monotonic }: LeaseTimes, { machine }: Clock): string {
  const times = [wall, monotonic].map((ms) => Math.ceil(ms) + LEASE_TTL_MS);
  return join(folder, [id, ...times, machine].join('.'));
}

function unlessMissing(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw dataFolderError(folder, error);
  }
}
