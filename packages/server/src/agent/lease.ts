import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { type Claim, type OwnClaim, type Owner, openClaims } from '@toolwright/core/internal';

/** The exclusive right of this process to run a task. */
export interface TaskLease {
  /** The run of the task. It grows with each owner: the fencing number. */
  readonly run: number;
  /** Calls `onLost` when this process is not the owner any more. */
  keep(onLost: () => void): void;
  /** Returns whether this process still owns the task. Call it before each effect. */
  isHeld(): boolean;
  release(): void;
}

/** The owners of the tasks of a folder: claims that name the lease of a process. */
export interface TaskLeases {
  /** Takes a task that has no owner. Returns undefined if another process has it. */
  create(task: string, run: number): TaskLease | undefined;
  /** Takes over the task of a dead owner. Returns undefined if the owner lives, or another process was first. */
  takeOver(claim: Claim): TaskLease | undefined;
  /** Returns the owner of a task; undefined without one. */
  find(task: string): Claim | undefined;
  /** Returns the tasks of dead owners. */
  orphans(): Claim[];
  isAlive(claim: Claim): boolean;
  /** Returns when the lease of an owner expires; undefined if it has ended. Each renewal changes it. */
  expiryOf(claim: Claim): number | undefined;
  /** Calls `onOrphan` for each task of a dead owner, at each beat. Returns a function that ends this. */
  watch(onOrphan: (claim: Claim) => Promise<void>): () => void;
}

/** Opens the leases in `<tasks>/leases`. */
export function openTaskLeases(tasks: string, owner: Owner): TaskLeases {
  const claims = openClaims(join(tasks, 'leases'), owner);
  const own = (claim: OwnClaim | undefined) => claim && taskLease(claim, owner);
  const orphans = () => claims.list().filter((claim) => !owner.isAlive(claim.owner));
  return {
    create: (task, run) => own(claims.create(task, run)),
    takeOver: (claim) => own(claims.takeOver(claim)),
    find: claims.find,
    orphans,
    isAlive: (claim) => owner.isAlive(claim.owner),
    expiryOf: (claim) => owner.expiryOf(claim.owner),
    watch(onOrphan) {
      let isLooking = false;
      const look = async () => {
        for (const claim of orphans()) await onOrphan(claim);
      };
      return owner.onBeat(() => {
        if (isLooking) return;
        isLooking = true;
        void look()
          .catch(() => undefined)
          .finally(() => {
            isLooking = false;
          });
      });
    },
  };
}

/** Returns the error of a process whose task another process has taken over. */
export function takenOver(task: string): ToolwrightError {
  const message = `Another process has taken the task ${task} over, because this process did not renew its lease in time. This process has stopped the task and writes nothing more. Follow the task by its id.`;
  return new ToolwrightError('TASK_TAKEN_OVER', message);
}

function taskLease({ number, lease, release }: OwnClaim, owner: Owner): TaskLease {
  let end = () => {};
  return {
    run: number,
    keep(onLost) {
      end = owner.onLost((id) => {
        if (id === lease.id) onLost();
      });
    },
    isHeld: lease.isHeld,
    release() {
      end();
      release();
    },
  };
}
