import { readFileSync } from 'node:fs';

/** A stored answer or file that the service acknowledged. Returns whether it is still there, unchanged. */
export type Recheck = () => Promise<boolean>;

/** The differences between the acknowledged and the real effects. */
export interface Balance {
  /** Acknowledged effects and stored data. */
  readonly acknowledged: number;
  /** Names of acknowledged effects that did not happen, and of acknowledged data that is not there. */
  readonly lost: readonly string[];
  /** Ids of effects that happened twice. */
  readonly doubled: readonly string[];
}

/** Keeps the effects and the data that the service acknowledged, and compares them with the real ones. */
export interface Ledger {
  /** Returns an id that no other effect has. */
  newId(): string;
  /** Notes effects that an answer of the service confirmed. */
  effects(ids: readonly unknown[]): void;
  /** Returns whether an effect has happened, as the servers wrote it. */
  hasHappened(id: string): boolean;
  /** Notes data that the service confirmed. */
  stored(name: string, recheck: Recheck): void;
  balance(): Promise<Balance>;
}

const RECHECKS_AT_ONCE = 8;

/** Starts to keep acknowledgements. The servers write the real effects to the file. */
export function createLedger(file: string): Ledger {
  let last = 0;
  const confirmed = new Set<string>();
  const rechecks: { readonly name: string; readonly recheck: Recheck }[] = [];
  return {
    newId: () => `e${++last}`,
    effects(ids) {
      for (const id of ids) if (typeof id === 'string') confirmed.add(id);
    },
    hasHappened: (id) => readFileSync(file, 'utf8').split('\n').includes(id),
    stored: (name, recheck) => void rechecks.push({ name, recheck }),
    async balance() {
      const gone: string[] = [];
      const left = [...rechecks];
      const work = async () => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) {
          if (!(await one.recheck().catch(() => false))) gone.push(one.name);
        }
      };
      await Promise.all(Array.from({ length: RECHECKS_AT_ONCE }, work));
      // A repeated request of a recheck must not double an effect either.
      const counts = new Map<string, number>();
      for (const id of readFileSync(file, 'utf8').split('\n').filter(Boolean))
        counts.set(id, (counts.get(id) ?? 0) + 1);
      return {
        acknowledged: confirmed.size + rechecks.length,
        lost: [...[...confirmed].filter((id) => !counts.has(id)), ...gone],
        doubled: [...counts].filter(([, count]) => count > 1).map(([id]) => id),
      };
    },
  };
}
