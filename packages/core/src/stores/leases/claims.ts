import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, readIfPresent } from '../data-folder/own-files.ts';
import type { Owner } from './owner.ts';
import type { ProcessLease } from './process-lease.ts';

/** The owner of some work: the file `<work>.<number>`, which names the lease of a process. */
export interface Claim {
  readonly work: string;
  /** The fencing number. It grows with each owner. */
  readonly number: number;
  /** Id of the lease of the owner. */
  readonly owner: string;
}

/** The exclusive right of this process to some work. It lasts as long as the lease of the process, or until its release. */
export interface OwnClaim {
  readonly number: number;
  readonly lease: ProcessLease;
  release(): void;
}

/** The claims of a folder. At most one process has the highest number of some work. */
export interface Claims {
  /** Claims work under a number. Returns undefined if another process was first. */
  create(work: string, number: number): OwnClaim | undefined;
  /** Takes the work of a dead owner over, under the next number. Returns undefined if the owner lives, or another process was first. */
  takeOver(claim: Claim): OwnClaim | undefined;
  /** Returns the newest claim of some work. */
  find(work: string): Claim | undefined;
  /** Returns the newest claim of each work. */
  list(): Claim[];
}

const NAME = /^([\da-f-]{36})\.(\d+)$/;

/** Opens the claims of a folder. */
export function openClaims(folder: string, owner: Owner): Claims {
  const pathOf = (work: string, number: number) => join(folder, `${work}.${number}`);
  const names = () => namesIn(folder).flatMap(parseName);
  const read = ({ work, number }: Named): Claim[] => {
    const id = readIfPresent(pathOf(work, number));
    return id === undefined ? [] : [{ work, number, owner: id }];
  };
  const newest = (all: readonly Named[]) => {
    const highest = new Map<string, Named>();
    for (const name of all) if (name.number > (highest.get(name.work)?.number ?? -1)) highest.set(name.work, name);
    return [...highest.values()].flatMap(read);
  };
  const create = (work: string, number: number): OwnClaim | undefined => {
    const lease = owner.lease();
    if (!lease.sign(pathOf(work, number))) return undefined;
    return {
      number,
      lease,
      release() {
        if (lease.isHeld()) rmSync(pathOf(work, number), { force: true });
      },
    };
  };
  return {
    create,
    takeOver(claim) {
      if (!owner.end(claim.owner)) return undefined;
      const own = create(claim.work, claim.number + 1);
      if (own)
        for (const old of names()) if (isOlder(old, claim)) rmSync(pathOf(old.work, old.number), { force: true });
      return own;
    },
    find: (work) => newest(names().filter((name) => name.work === work))[0],
    list: () => newest(names()),
  };
}

type Named = Pick<Claim, 'work' | 'number'>;

function isOlder({ work, number }: Named, claim: Claim): boolean {
  return work === claim.work && number <= claim.number;
}

function parseName(name: string): Named[] {
  const [, work, number] = NAME.exec(name) ?? [];
  return work === undefined ? [] : [{ work, number: Number(number) }];
}
