import type { Known } from './record.ts';

/** All known values. Within a generation the list only grows at its end; a later entry of a name replaces an earlier one. */
export interface KnownValues {
  readonly generation: number;
  readonly list: readonly Known[];
}

/** The opened records that this process holds in memory. */
export interface RecordCache {
  /** Adds or replaces a record. */
  add(known: Known): void;
  /** Removes a record because another process changed or deleted it. */
  invalidate(name: string): void;
  get(name: string): Known | undefined;
  /** Returns the placeholder name of a cached value. */
  nameOf(type: string, numeric: boolean, canonical: string): string | undefined;
  /** Returns the names of invalidated records that were not read again yet. */
  stale(): string[];
  /** Removes the names that are still stale, because their records no longer exist. Then returns all values. */
  settle(): KnownValues;
  values(): KnownValues;
  /** Removes everything and starts a new generation. */
  clear(): void;
}

/** Returns an empty cache. */
export function createRecordCache(): RecordCache {
  const records = new Map<string, Known>();
  const names = new Map<string, string>();
  const stale = new Set<string>();
  let list: Known[] = [];
  let generation = 0;
  const values = () => ({ generation, list });

  return {
    add(known) {
      records.set(known.name, known);
      names.set(identityOf(known.type, known.numeric, known.canonical), known.name);
      stale.delete(known.name);
      list.push(known);
    },
    invalidate(name) {
      const known = records.get(name);
      if (known) names.delete(identityOf(known.type, known.numeric, known.canonical));
      records.delete(name);
      stale.add(name);
    },
    get: (name) => records.get(name),
    nameOf: (type, numeric, canonical) => names.get(identityOf(type, numeric, canonical)),
    stale: () => [...stale],
    settle() {
      if (stale.size > 0) {
        stale.clear();
        list = [...records.values()];
        generation += 1;
      }
      return values();
    },
    values,
    clear() {
      for (const held of [records, names, stale]) held.clear();
      list = [];
      generation += 1;
    },
  };
}

function identityOf(type: string, numeric: boolean, canonical: string): string {
  return `${type}:${numeric ? 'number' : 'text'}:${canonical}`;
}
