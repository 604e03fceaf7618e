import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { dataFolderError } from '../data-folder.ts';
import { namesIn } from '../own-files.ts';

/** Milliseconds without a renewal after which a process counts as dead, and others may take over its work. */
export const LEASE_TTL_MS = 10_000;
/** The clocks of a process. Those of all processes of a data folder must differ by less than half of the time to live. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment. Nobody sets it. */
  monotonic(): number;
}

export const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: () => performance.now() };

/**
 * The lease of a process: its right to work in a data folder. All its executions, tasks and keys name it as their owner, so one
 * renewal covers all of them. It is a file whose name has the time at which it expires. Its owner renews it by renaming the file.
 * Others end an expired lease by deleting the file. Only one of the two finds the file: an owner that was paused finds none. An
 * owner that was paused for the time to live gives its lease up itself, because others have reported its work as interrupted.
 */
export interface ProcessLease {
  /** Unique for ever. After a loss, the process gets a lease with another id. */
  readonly id: string;
  /** Returns whether this process still has the lease. Renews an old lease first. Call it before each effect. */
  isHeld(): boolean;
  /** Raises `OWNERSHIP_LOST` without the lease. */
  check(): void;
  /** Returns false if the lease is lost. */
  renew(): boolean;
  /** Creates a file that names this lease. Returns false if the file exists. Raises `OWNERSHIP_LOST` without the lease. */
  sign(path: string): boolean;
  release(): void;
}

/** The lease of any process, as its file names it. */
export interface FoundLease {
  readonly id: string;
  readonly path: string;
  readonly expiresMs: number;
}

const NAME = /^([\da-f-]{36})\.(\d+)$/;
/** Looks for a file. A folder that is read while a file is renamed may show neither of its names. */
const LOOKS = 3;

/** Takes a new lease in a folder. Raises `CONFIG_INVALID` when the folder cannot be written to. */
export function acquireLease(folder: string, clock: Clock): ProcessLease {
  const id = randomUUID();
  const pathAt = (expiresMs: number) => join(folder, `${id}.${expiresMs}`);
  const times = () => ({ wall: clock.now(), monotonic: clock.monotonic() });
  let renewed = times();
  let path = pathAt(renewed.wall + LEASE_TTL_MS);
  let isLost = false;
  inFolder(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, id, { flag: 'wx', mode: 0o600 });
  });
  const release = () => {
    if (!isLost) rmSync(path, { force: true });
    isLost = true;
  };
  const renew = () => {
    const at = times();
    const next = pathAt(at.wall + LEASE_TTL_MS);
    if (at.monotonic - renewed.monotonic >= LEASE_TTL_MS) release();
    isLost ||= !inFolder(folder, () => unlessMissing(() => renameSync(path, next)));
    if (isLost) return false;
    [path, renewed] = [next, at];
    return true;
  };
  const isHeld = () => {
    const { wall, monotonic } = times();
    // Nobody ends a younger lease. Half of the time allows for clocks that differ; a clock that was set back proves nothing.
    const ages = [wall - renewed.wall, monotonic - renewed.monotonic];
    return !isLost && (ages.every((ageMs) => ageMs >= 0 && ageMs < LEASE_TTL_MS / 2) || renew());
  };
  const check = () => {
    if (!isHeld()) throw ownershipLost();
  };
  return {
    id,
    isHeld,
    check,
    renew,
    sign(file) {
      check();
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      try {
        linkSync(path, file);
        return true;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') return false;
        if (code === 'ENOENT') throw ownershipLost();
        throw dataFolderError(dirname(file), error);
      }
    },
    release,
  };
}

/** Finds the lease with an id; undefined if it was released or ended. */
export function findLease(folder: string, id: string): FoundLease | undefined {
  for (let look = 0; look < LOOKS; look++) {
    for (const name of namesIn(folder)) {
      const [, owner, expiresMs] = NAME.exec(name) ?? [];
      if (owner === id) return { id, path: join(folder, name), expiresMs: Number(expiresMs) };
    }
  }
  return undefined;
}

/** Returns when the leases in a folder expire, in milliseconds since the epoch. */
export function expiriesIn(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const [, , expiresMs] = NAME.exec(name) ?? [];
    return expiresMs === undefined ? [] : [Number(expiresMs)];
  });
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
