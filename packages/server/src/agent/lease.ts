import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '@toolwright/core';
import { dataFolderError } from '@toolwright/core/internal';

/** Times of leases, in milliseconds. All processes of a data folder must have the same. */
export interface LeaseTimes {
  /** Between two renewals. */
  readonly renewMs: number;
  /** Time without a renewal after which another process may take the task over. At least four times `renewMs`. */
  readonly expiryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 2_000, expiryMs: 10_000 };

/** The lease file of a task: `<task>.<run>.<renewals>`. */
export interface LeaseFile {
  readonly task: string;
  /** The run of the task. It grows with each owner: the fencing number. */
  readonly run: number;
  readonly renewals: number;
}

/** The exclusive right of this process to run a task. */
export interface Lease {
  readonly run: number;
  /** Renews the lease from now on. Calls `onLost` when another process has taken the task over. */
  keep(onLost: () => void): void;
  /** Returns whether this process still owns the task. Renews an old lease first. Call it before each effect. */
  isHeld(): boolean;
  release(): void;
}

/**
 * The leases of a folder. The owner of a task renews its lease by renaming its file. A process that sees no renewal for the
 * expiry time, by its own monotonic clock, takes the task over by renaming the same file. Only one of two renamings of a
 * file succeeds: an owner that was paused finds no file to rename, and stops.
 */
export interface Leases {
  readonly times: LeaseTimes;
  /** Creates the lease of a task that has none. Returns undefined if another process has created it. */
  create(task: string, run: number): Lease | undefined;
  /** Takes over an expired lease. Returns undefined if its owner has renewed it, or another process was first. */
  takeOver(file: LeaseFile): Lease | undefined;
  /** Returns the lease file of a task; undefined when no process owns the task. */
  find(task: string): Promise<LeaseFile | undefined>;
  /** Returns all lease files. */
  list(): LeaseFile[];
}

/** Milliseconds between two searches for a file. A search may miss a file that is renamed at that moment. */
const SECOND_LOOK_MS = 20;
const NAME = /^([\da-f-]{36})\.(\d+)\.(\d+)$/;

/** Opens the leases in `<tasks>/leases`. */
export function openLeases(tasks: string, times: LeaseTimes): Leases {
  const folder = join(tasks, 'leases');
  const place = ({ task, run, renewals }: LeaseFile) => join(folder, `${task}.${run}.${renewals}`);
  const list = () => namesIn(folder).flatMap(parseName);
  const own = (first: LeaseFile) => ownLease(first, { place, times });
  return {
    times,
    create(task, run) {
      const file = { task, run, renewals: 0 };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(place(file), '', { flag: 'wx', mode: 0o600 });
        return own(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
        throw dataFolderError(folder, error);
      }
    },
    takeOver(file) {
      const next = { task: file.task, run: file.run + 1, renewals: 0 };
      return moved(place(file), place(next)) ? own(next) : undefined;
    },
    async find(task) {
      const first = list().find((file) => file.task === task);
      if (first) return first;
      await sleep(SECOND_LOOK_MS);
      return list().find((file) => file.task === task);
    },
    list,
  };
}

/** Returns the error of a process whose task another process has taken over. */
export function takenOver(task: string): ToolwrightError {
  const message = `Another process has taken the task ${task} over, because this process did not renew its lease in time. This process has stopped the task and writes nothing more. Follow the task by its id.`;
  return new ToolwrightError('TASK_TAKEN_OVER', message);
}

function ownLease(
  first: LeaseFile,
  { place, times }: { readonly place: (file: LeaseFile) => string; readonly times: LeaseTimes },
): Lease {
  let file = first;
  let renewedMs = performance.now();
  let isLost = false;
  let timer: NodeJS.Timeout | undefined;
  const renew = () => {
    const next = { ...file, renewals: file.renewals + 1 };
    // The time before the renaming: the expiry of a reader starts after it.
    const now = performance.now();
    isLost ||= !moved(place(file), place(next));
    if (isLost) return false;
    file = next;
    renewedMs = now;
    return true;
  };
  return {
    run: first.run,
    keep(onLost) {
      timer = setInterval(() => {
        try {
          if (renew()) return;
        } catch {
          // The next renewal tries again. `isHeld` raises the error once the lease is old.
          return;
        }
        clearInterval(timer);
        onLost();
      }, times.renewMs).unref();
    },
    // Nobody takes over a lease that is younger than the expiry. Half of it allows for clocks of different speed.
    isHeld: () => !isLost && (performance.now() - renewedMs < times.expiryMs / 2 || renew()),
    release() {
      clearInterval(timer);
      if (!isLost) rmSync(place(file), { force: true });
    },
  };
}

/** Renames a file. Returns false if it does not exist. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw dataFolderError(dirname(from), error);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw dataFolderError(folder, error);
  }
}

function parseName(name: string): LeaseFile[] {
  const [, task, run, renewals] = NAME.exec(name) ?? [];
  return task === undefined ? [] : [{ task, run: Number(run), renewals: Number(renewals) }];
}
