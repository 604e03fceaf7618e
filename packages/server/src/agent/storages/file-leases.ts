import { join } from 'node:path';
import { type Claim, type OwnClaim, type Owner, openClaims } from '@toolwright/core/internal';

/** The exclusive right of this process to run a task. */
export interface FileLease {
  /** The run of the task. It grows with each owner: the fencing number. */
  readonly run: number;
  /** Calls `onLost` when this process is not the owner any more. */
  keep(onLost: () => void): void;
  /** Returns whether this process still owns the task. Call it before each effect. */
  isHeld(): boolean;
  release(): void;
}

/** The owners of the tasks of a folder: claims that name the lease of a process. */
export interface FileLeases {
  /** Takes a task that has no owner. Returns undefined if another process has it. */
  create(task: string, run: number): FileLease | undefined;
  /** Takes over the task of a dead owner. Returns undefined if the owner lives, or another process was first. */
  takeOver(claim: Claim): FileLease | undefined;
  /** Returns the owner of a task; undefined without one. */
  find(task: string): Claim | undefined;
  /** Returns the tasks of dead owners. */
  orphans(): Claim[];
  isAlive(claim: Claim): boolean;
  /** Returns when the lease of an owner expires; undefined if it has ended. Each renewal changes it. */
  expiryOf(claim: Claim): number | undefined;
}

/** Opens the leases in `<tasks>/leases`. */
export function openFileLeases(tasks: string, owner: Owner): FileLeases {
  const claims = openClaims(join(tasks, 'leases'), owner);
  const own = (claim: OwnClaim | undefined) => claim && fileLease(claim, owner);
  const orphans = () => claims.list().filter((claim) => !owner.isAlive(claim.owner));
  return {
    create: (task, run) => own(claims.create(task, run)),
    takeOver: (claim) => own(claims.takeOver(claim)),
    find: claims.find,
    orphans,
    isAlive: (claim) => owner.isAlive(claim.owner),
    expiryOf: (claim) => owner.expiryOf(claim.owner),
  };
}

function fileLease({ number, lease, release }: OwnClaim, owner: Owner): FileLease {
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
