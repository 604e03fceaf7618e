import type { MessagePort } from 'node:worker_threads';
import type { NativeCalls } from '../sqlite/native-calls.ts';

/** The start data of the thread. */
export interface RenewalThread {
  readonly port: MessagePort;
  readonly calls: NativeCalls;
}

/** A row that a statement has renewed. */
export interface RenewedRow {
  readonly id: string;
  readonly fence: string;
  /** Whether another process asks for something: the end of the work, or a right. */
  readonly isWanted: boolean;
}

/** One renewal of rows. */
export interface RenewalReport {
  /** `monotonicMs()` when it began. */
  readonly atMs: number;
  /** The ids of the rows to renew. */
  readonly ids: readonly string[];
  /** The rows that this process still has. */
  readonly rows: readonly RenewedRow[];
}

/** A statement that renews rows. Its values are an owner, a time to live, ids, and whether it waits for the disk. */
export interface RowRenewal {
  /** The URL for the client of PostgreSQL, or that of the tables of a machine. */
  readonly url: string;
  readonly sql: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly everyMs: number;
}

/** An order of the main thread. */
export type RenewalOrder =
  | { readonly add: RowRenewal; readonly key: number }
  | { readonly ids: readonly string[]; readonly key: number }
  | { readonly remove: true; readonly key: number }
  | 'alive';

/** An answer of the thread: a report, or that it has closed the files of a removed renewal. */
export type RenewalAnswer =
  | (RenewalReport & { readonly key: number })
  | { readonly isRemoved: true; readonly key: number };

/** Milliseconds between two signs of life of the main thread. */
export const ALIVE_MS = 1_000;
/** Milliseconds without a sign of life after which the main thread counts as hanging, and its leases expire. */
export const MAX_SILENCE_MS = 120_000;

/** Returns the row of a renewal. */
export function renewedRow({ id, fence, wanted }: Readonly<Record<string, unknown>>): RenewedRow {
  return { id: String(id), fence: String(fence), isWanted: Boolean(wanted) };
}
