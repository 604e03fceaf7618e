import { createHash } from 'node:crypto';
import { ToolwrightError } from '@toolwright/core';

/** The wanted page of a list. */
export interface PageRequest<Entry> {
  /** The `nextCursor` of the page before. Default: the first page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Returns the identity of an entry. */
  readonly keyOf: (entry: Entry) => string;
}

/** A part of a list, and the cursor of the next one unless it is the last. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor?: string;
}

const CURSOR = /^(\d{1,9})\.([\w-]{16})$/;

/**
 * Returns a page of a list. A cursor names the last entry of the page before, so that no entry is left out when the list changes
 * between two pages. If that entry is gone, its place counts. Raises `INVALID_ARGUMENTS` for an invalid cursor.
 */
export function pageOf<Entry>(all: readonly Entry[], { cursor, limit, keyOf }: PageRequest<Entry>): Page<Entry> {
  const start = cursor === undefined ? 0 : startOf(all, cursor, keyOf);
  const entries = all.slice(start, start + limit);
  const end = start + entries.length;
  const last = entries.at(-1);
  if (last === undefined || end >= all.length) return { entries };
  return { entries, nextCursor: `${end}.${hashOf(keyOf(last))}` };
}

function startOf<Entry>(all: readonly Entry[], cursor: string, keyOf: (entry: Entry) => string): number {
  const [, place, hash] = CURSOR.exec(cursor) ?? [];
  if (place === undefined || hash === undefined) {
    const message =
      'The cursor is not one of this list. Pass the "nextCursor" of the page before, or none for the first page.';
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const end = Number(place);
  const isLast = (entry: Entry | undefined) => entry !== undefined && hashOf(keyOf(entry)) === hash;
  if (isLast(all[end - 1])) return end;
  const found = all.findIndex(isLast);
  return found < 0 ? end : found + 1;
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 16);
}
