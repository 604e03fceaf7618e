import { inSlices, mapInSlices, type Steps } from '../../slices.ts';
import type { ChangeLog } from '../change-log.ts';
import { keyIdOf } from '../keys/sealing.ts';
import type { SessionKey, VaultOwner } from '../keys/session-key.ts';
import { BATCH_RECORDS, openPage } from '../page.ts';
import type { Store } from '../store.ts';
import { indexEntry, readIndex } from './index-entry.ts';
import type { Known } from './record.ts';
import type { RecordCache } from './record-cache.ts';

/** Where records are read from, and the cache that they are read into. */
export interface Reader {
  readonly store: Store;
  readonly namespace: string;
  readonly owner: VaultOwner;
  readonly cache: RecordCache;
  readonly log: ChangeLog;
}

/** Reads the records of names into the cache, with all further records of their pages. Names without a record stay absent. */
export async function readRecords(reader: Reader, session: SessionKey, names: readonly string[]): Promise<void> {
  const { cache, log } = reader;
  for (let at = 0; at < names.length; at += BATCH_RECORDS) {
    const missing = names.slice(at, at + BATCH_RECORDS).filter((name) => cache.get(name) === undefined);
    const places = [...new Set(missing.map(log.placeOf))];
    if (places.length === 0) continue;
    const sealed = await reader.store.get(reader.namespace, places);
    await addIndexed(reader, session, await inSlices(openSteps(reader, session, places, sealed)));
  }
}

function* openSteps(
  { owner, cache, log }: Reader,
  { records: key }: SessionKey,
  places: readonly string[],
  sealed: readonly (Buffer | undefined)[],
): Steps<Known[]> {
  const opened: Known[] = [];
  for (const [index, place] of places.entries()) {
    const bytes = sealed[index];
    // A vault that ended while a process wrote to it can leave a page of its old key behind.
    if (bytes === undefined || !keyIdOf(bytes).equals(key.id)) continue;
    for (const known of openPage(key, owner, place, bytes)) {
      if (cache.get(known.name) === undefined && log.placeOf(known.name) === place) opened.push(known);
    }
    yield;
  }
  return opened;
}

/**
 * Adds the records whose index entries have their names. A process that was slower, or ended in the middle of an
 * allocation, leaves a record that the index does not have. No program has its placeholder.
 */
async function addIndexed({ store, namespace, cache }: Reader, session: SessionKey, opened: Known[]): Promise<void> {
  for (let at = 0; at < opened.length; at += BATCH_RECORDS) {
    const batch = opened.slice(at, at + BATCH_RECORDS);
    const entries = await store.get(namespace, await mapInSlices(batch, (known) => indexEntry(session, known)));
    await mapInSlices(batch, (known, index) => {
      if (readIndex(entries[index]).name === known.name) cache.add(known);
    });
  }
}
