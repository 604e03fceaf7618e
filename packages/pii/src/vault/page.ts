import { randomBytes } from 'node:crypto';
import type { Steps } from '../slices.ts';
import { corrupt, type SealingKey, seal, unseal } from './keys/sealing.ts';
import type { VaultOwner } from './keys/session-key.ts';
import { type Known, openRecord, sealRecord } from './records/record.ts';

/** Values that are read or written in one call. The store in a file writes them in about 5 ms without a pause. */
export const BATCH_RECORDS = 500;
/** Records in one page. More would make it no quicker per record, and a change of one record seals its page again. */
const PAGE_RECORDS = 50;
/** Characters of the spellings in a page. A longer value has a page of its own. */
const PAGE_CHARACTERS = 16_384;
const PAGE_ID_BYTES = 9;
const PAGE_PREFIX = 'page:';
const RECORD_PREFIX = 'record:';
/** The version of the format in a page. */
const VERSION = 1;

/** Records that are sealed together, in one entry of the store. */
export interface Page {
  /** The key of the entry. */
  readonly entry: string;
  readonly records: readonly Known[];
  readonly sealed: Buffer;
}

/** Returns the key of the entry of a page. */
export function pageEntry(id: string): string {
  return PAGE_PREFIX + id;
}

/** Returns the key of the entry that the earlier format has for each record. */
export function recordEntry(name: string): string {
  return RECORD_PREFIX + name;
}

/** Checks whether an entry contains sealed records. */
export function hasRecords(entry: string): boolean {
  return entry.startsWith(PAGE_PREFIX) || entry.startsWith(RECORD_PREFIX);
}

/** Seals records in new pages with random ids. */
export function* pageSteps(key: SealingKey, owner: VaultOwner, records: readonly Known[]): Steps<Map<string, Page>> {
  const pages = new Map<string, Page>();
  let page: Known[] = [];
  let characters = 0;
  const close = () => {
    const id = randomBytes(PAGE_ID_BYTES).toString('base64url');
    const entry = pageEntry(id);
    pages.set(id, { entry, records: page, sealed: sealPage(key, owner, entry, page) });
    page = [];
    characters = 0;
  };
  for (const record of records) {
    const size = record.spellings.reduce((sum, { text }) => sum + text.length, 0);
    if (page.length === PAGE_RECORDS || (page.length > 0 && characters + size > PAGE_CHARACTERS)) {
      close();
      yield;
    }
    page.push(record);
    characters += size;
  }
  if (page.length > 0) close();
  return pages;
}

/** Encrypts the records of an entry and binds them to user, session and entry. */
export function sealPage(key: SealingKey, owner: VaultOwner, entry: string, records: readonly Known[]): Buffer {
  const [first] = records;
  if (entry.startsWith(RECORD_PREFIX) && first) return sealRecord(key, owner, first);
  const rows = records.map(({ name, type, numeric, canonical, spellings }) => [
    name,
    type,
    numeric,
    canonical,
    spellings,
  ]);
  return seal(key, [owner.user, owner.session, entry], Buffer.from(JSON.stringify([VERSION, rows])));
}

/** Decrypts the records of an entry, in this format or in the earlier one. Raises `VAULT_CORRUPT` if it was changed or moved. */
export function openPage(key: SealingKey, owner: VaultOwner, entry: string, sealed: Buffer): Known[] {
  if (entry.startsWith(RECORD_PREFIX)) return [openRecord(key, owner, entry.slice(RECORD_PREFIX.length), sealed)];
  const plain: unknown = JSON.parse(unseal(key, [owner.user, owner.session, entry], sealed).toString());
  if (!Array.isArray(plain) || plain[0] !== VERSION || !Array.isArray(plain[1])) throw corrupt();
  return plain[1].map(
    ([name, type, numeric, canonical, spellings]): Known => ({
      name,
      type,
      numeric,
      canonical,
      spellings,
    }),
  );
}
