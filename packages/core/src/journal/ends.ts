import type { JournalEnd, JournalStart, SuspendEntry } from './entries.ts';
import { endStatus, type HistoryStatus } from './history.ts';
import type { JournalReader } from './storages/storage.ts';

/** The first and the last entry of a journal. */
export interface JournalEnds {
  /** With `head`, the source and all after it is missing. Absent if the entry cannot be read. */
  readonly start?: JournalStart & { readonly at: string };
  /** Present for an execution that waits without a sandbox. */
  readonly suspension?: SuspendEntry;
  /** Absent for an execution that runs, is suspended or was interrupted. */
  readonly end?: JournalEnd & { readonly at: string };
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
  /** Whether an owner has the execution, if the storage of the journal knows it. */
  readonly isOwned?: boolean;
}

/** Bytes read of a journal's first entry: of all of it, and of the part before the source. */
const MAX_START_BYTES = { whole: 4 * 1024 * 1024, head: 8 * 1024 };
/** Bytes read of its last entry. */
const MAX_END_BYTES = 512;
/** The text before the source. Within a JSON text, its quotes would have backslashes. */
const BEFORE_SOURCE = ',"source":';

/** Reads the ends of a journal, however long it is. Returns undefined without the journal. */
export async function readJournalEnds(
  journals: JournalReader,
  id: string,
  part: 'whole' | 'head',
): Promise<JournalEnds | undefined> {
  const ends = await journals.ends(id, { firstBytes: MAX_START_BYTES[part], lastBytes: MAX_END_BYTES });
  if (!ends) return undefined;
  const { first, changedMs, isOwned } = ends;
  const last = ends.last.at(-1) ?? '';
  const end = last.startsWith('{"entry":"end"') ? parse<JournalEnds['end']>(last) : undefined;
  const suspension = last.startsWith('{"entry":"suspend"') ? parse<SuspendEntry>(last) : undefined;
  const at = part === 'head' ? first.indexOf(BEFORE_SOURCE) : -1;
  const start = parse<JournalEnds['start']>(at === -1 ? first : `${first.slice(0, at)}}`);
  return {
    start,
    suspension,
    end,
    changedMs,
    isOwned,
  };
}

/** Returns the status of an execution with these ends: null for one that runs or was interrupted. */
export function statusOf({ end, suspension }: JournalEnds): HistoryStatus | null {
  if (end) return endStatus(end.status, end.limit);
  return suspension ? 'suspended' : null;
}

/** Reads the result of an ended execution; undefined if its journal does not have it. */
export async function readJournalResult(
  journals: JournalReader,
  id: string,
  { resultBytes = 0 }: JournalEnd,
): Promise<unknown> {
  if (resultBytes === 0) return undefined;
  const ends = await journals.ends(id, { firstBytes: 0, lastBytes: MAX_END_BYTES + resultBytes });
  return parse<{ readonly result: unknown }>(ends?.last.at(-2) ?? '')?.result;
}

/** A start that is longer than the wanted part is cut off. */
function parse<T>(line: string): T | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
