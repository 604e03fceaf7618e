import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ExecutionClaim,
  ExecutionStorage,
  HistoryFilter,
  OwnExecution,
} from '../../../packages/core/src/history/storages/storage.ts';
import type { HistoryEntry } from '../../../packages/core/src/journal/history.ts';
import { readRecording } from '../../../packages/core/src/journal/recording/read-recording.ts';
import type { Recording } from '../../../packages/core/src/journal/recording/recording.ts';

export const LIMITS = { maxBytes: 1_000_000 };
export const PROCESS = { host: { name: 'here', pid: 1 } };

/** Starts an execution of a user. */
export function start(
  storage: ExecutionStorage,
  user: string,
  more: { readonly id?: string; readonly session?: string; readonly dryRun?: true } = {},
): Promise<OwnExecution> {
  const facts = {
    language: 'typescript',
    sandbox: 'none',
    source: 'return "ü\n"',
    catalogHash: 'h',
    seed: 1,
    epochMs: 2,
  };
  return storage.start({ id: randomUUID(), user, ...more, ...PROCESS, ...facts }, LIMITS);
}

/** Returns the id of an execution that was started. */
export async function idOf(storage: ExecutionStorage, user: string): Promise<string> {
  const [newest] = await listed(storage, user);
  assert.ok(newest);
  return newest.id;
}

type ListedEntry = Omit<HistoryEntry, 'startedMs'>;

/** Returns the history of a user, newest first. */
export async function listed(storage: ExecutionStorage, user: string, filter?: HistoryFilter): Promise<ListedEntry[]> {
  const found: ListedEntry[] = [];
  for await (const { id, key, status, session } of storage.listHistory(user, filter)) {
    found.push({ id, key, status, session });
  }
  return found;
}

/** Acquires an execution that nobody has. */
export async function acquired(storage: ExecutionStorage, seen: Recording): Promise<ExecutionClaim> {
  const claim = await storage.acquire(seen);
  assert.ok(claim, 'nobody else has the execution');
  return claim;
}

export function recordingOf(storage: ExecutionStorage, id: string, key: Buffer): Promise<Recording> {
  return readRecording(storage.journals, id, key);
}

/** Waits until something holds, for at most 10 seconds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 200; look++) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail('it did not hold within 10 seconds');
}
