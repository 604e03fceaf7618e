import { isTransformed } from '../canonical.ts';
import type { FoundValue } from '../found-value.ts';
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
  /** Returns the placeholder name of a cached value that has this spelling, by this server if there is one. */
  heldName(value: FoundValue, source: string | undefined): string | undefined;
  /** Returns the names of invalidated records that were not read again yet. */
  stale(): string[];
  hasStale(): boolean;
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
  /** Records by the spellings of their values. */
  const spelled = { texts: new Map<string, Map<string, Known>>(), numbers: new Map<string, Map<string, Known>>() };
  const spelledOf = (type: string, numeric: boolean) => {
    const all = numeric ? spelled.numbers : spelled.texts;
    const known = all.get(type) ?? new Map<string, Known>();
    all.set(type, known);
    return known;
  };
  const stale = new Set<string>();
  let list: Known[] = [];
  let generation = 0;
  const values = () => ({ generation, list });

  return {
    add(known) {
      records.set(known.name, known);
      names.set(identityOf(known.type, known.numeric, known.canonical), known.name);
      const texts = spelledOf(known.type, known.numeric);
      if (!isTransformed(known.canonical)) for (const { text } of known.spellings) texts.set(text, known);
      stale.delete(known.name);
      list.push(known);
    },
    invalidate(name) {
      const known = records.get(name);
      if (known) {
        names.delete(identityOf(known.type, known.numeric, known.canonical));
        const texts = spelledOf(known.type, known.numeric);
        if (!isTransformed(known.canonical)) for (const { text } of known.spellings) texts.delete(text);
      }
      records.delete(name);
      stale.add(name);
    },
    get: (name) => records.get(name),
    nameOf: (type, numeric, canonical) => names.get(identityOf(type, numeric, canonical)),
    heldName({ type, text, numeric = false, canonical }, source) {
      if (canonical !== undefined) return undefined;
      const known = (numeric ? spelled.numbers : spelled.texts).get(type)?.get(text);
      if (known === undefined || source === undefined) return known?.name;
      const spelling = known.spellings.find((one) => one.text === text);
      return spelling?.sources.includes(source) ? known.name : undefined;
    },
    stale: () => [...stale],
    hasStale: () => stale.size > 0,
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
      for (const held of [records, names, stale, spelled.texts, spelled.numbers]) held.clear();
      list = [];
      generation += 1;
    },
  };
}

/** Returns a text that is equal for equal values. */
export function identityOf(type: string, numeric: boolean, canonical: string): string {
  return `${type}:${numeric ? 'number' : 'text'}:${canonical}`;
}
