import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { BlobStore } from '../../stores/blobs/blob.ts';
import { fileError } from '../paths.ts';
import { folderContents } from './contents.ts';
import { type FolderUse, type FolderUseOptions, requestOfChange } from './folder-use.ts';
import { createGate } from './gate.ts';
import { openLocalCopy } from './local-copy.ts';
import { EMPTY_MANIFEST } from './manifest.ts';
import type { FolderRows, FolderState, WriteRight } from './rows.ts';

export interface VersionedFolderOptions {
  readonly name: string;
  /** The copy on this disk. No other process uses it. */
  readonly root: string;
  /** The entries of the folder that are versioned. Default: all. */
  readonly top?: ReadonlySet<string> | undefined;
  readonly rows: FolderRows;
  readonly blobs: BlobStore;
  /** Milliseconds for which the end of a use waits for a database or storage that does not answer. */
  readonly retryMs: number;
}

/** One folder whose files any number of processes use. At most one of them writes at a time; its commits are the versions. */
export interface VersionedFolder {
  use(options: FolderUseOptions): FolderUse;
  /** Whether this process uses the folder, or has the right to write it. */
  isUsed(): boolean;
  /** The right of this process, and `performance.now()` when it was given. */
  right(): (WriteRight & { readonly sinceMs: number }) | undefined;
  /** Notes that another process took the right. */
  lost(): void;
  /** Commits long-running changes now and then, releases an unused right, and hands a right over that others wait for. */
  tick(isWanted: boolean): void;
}

/** Uses in this process that share the copy. */
interface Use {
  readonly options: FolderUseOptions;
  failure?: ToolwrightError;
  isEnding: boolean;
  checkedMs?: number;
}

const POLL_MS = { first: 10, most: 150 };
const RETRY_MS = 200;
const DEFAULT_MAX_AGE_MS = 1_000;
/** Changes of a long-running program are committed this often. */
const COMMIT_INTERVAL_MS = 5_000;
/** A process keeps a right this long while others wait for it. */
const TURN_MS = 3_000;

/** The state of a folder that nobody has committed, or that was removed. */
const NO_VERSION: FolderState = { id: '', version: 0, manifest: EMPTY_MANIFEST };

/** Opens a folder. Reads nothing yet. */
export function openVersionedFolder({
  name,
  root,
  top,
  rows,
  blobs,
  retryMs,
}: VersionedFolderOptions): VersionedFolder {
  const gate = createGate();
  const copy = openLocalCopy(root, top);
  /** Uses that are not ended, and those of them that made an operation under a right. */
  const open = new Set<Use>();
  const sharing = new Set<Use>();
  let right: (WriteRight & { readonly sinceMs: number }) | undefined;
  let version = 0;
  /** Whether the copy may have files of no version. */
  let isStale = true;
  let isDirty = false;
  let committedMs = 0;
  let applied = new Map<string, Set<number>>();
  let acquiring: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const knownVersion = () => (isStale ? -1 : version);
  const checkOut = async (state: FolderState) => {
    if (state.version === knownVersion()) return;
    const manifest = state.manifest ?? copy.manifest;
    isStale = true;
    await copy.checkOut(manifest, folderContents(blobs, state.id));
    [version, isStale, isDirty] = [state.version, false, false];
    applied = new Map([...manifest.applied].map(([id, requests]) => [id, new Set(requests)]));
  };
  /** Discards the changes since the last commit. The uses that made them fail. */
  const fail = (error: ToolwrightError) => {
    right = undefined;
    if (!isDirty) return;
    for (const use of sharing) use.failure = error;
    sharing.clear();
    [isDirty, isStale] = [false, true];
  };
  const acquire = async () => {
    let ticket: string | undefined;
    for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * 2, POLL_MS.most)) {
      const answer = await rows.acquire(name, { ticket, knownVersion: knownVersion() });
      if (answer === 'gone') throw fileError('ENOENT', 'The session was removed, with its files.');
      if ('right' in answer) {
        const given = { ...answer.right, sinceMs: performance.now() };
        // Changes before the right are those of an execution that nobody else has.
        if (!isDirty)
          await gate
            .alone(() => checkOut(answer))
            .catch(async (error: unknown) => {
              await rows.release(given).catch(() => undefined);
              throw error;
            });
        right = given;
        committedMs = performance.now();
        return;
      }
      ticket = answer.ticket;
      await sleep(waitMs);
    }
  };
  const ensureRight = async () => {
    if (right) return;
    acquiring ??= acquire().finally(() => {
      acquiring = undefined;
    });
    await acquiring;
  };
  /** Brings the copy to the newest version for a use without the right. */
  const freshen = async (use: Use) => {
    const { isNew = false, maxAgeMs = DEFAULT_MAX_AGE_MS } = use.options;
    const isFresh = use.checkedMs !== undefined && performance.now() - use.checkedMs <= maxAgeMs;
    if (right || isDirty || isFresh || isNew) return;
    const startedMs = performance.now();
    const state = (await rows.read(name, knownVersion())) ?? NO_VERSION;
    await gate.alone(async () => (right || isDirty ? undefined : checkOut(state)));
    use.checkedMs = startedMs;
  };
  const enter = async (use: Use, needsRight: boolean): Promise<() => void> => {
    for (;;) {
      if (use.failure) throw use.failure;
      if (needsRight || use.options.right === 'end') sharing.add(use);
      if (needsRight) await ensureRight();
      else await freshen(use);
      const leave = await gate.enter();
      if (!use.failure && (right || !needsRight)) return leave;
      leave();
    }
  };
  const release = async () => {
    const released = right;
    right = undefined;
    // Without an answer, it expires.
    if (released) await rows.release(released).catch(() => undefined);
  };
  const isLast = () => [...sharing].every(({ isEnding }) => isEnding);
  const commitNow = async () => {
    if (!isDirty) return isLast() ? release() : undefined;
    if (!right) await ensureRight();
    const own = right;
    if (!own) throw workspaceLost();
    const plan = await copy.next(applied);
    if (!plan) {
      isDirty = false;
      return isLast() ? release() : undefined;
    }
    const uploaded = plan.uploads.map(({ key }) => key);
    await rows.register(own.folder, uploaded);
    await folderContents(blobs, own.folder).upload(root, plan.uploads);
    const last = isLast();
    const committed = await rows.commit(own, plan.manifest, last);
    if (committed === undefined) {
      if (await rows.has(own.folder)) throw workspaceLost();
      // The folder of a removed session has no further version.
      return fail(workspaceLost());
    }
    copy.committed(plan.manifest);
    [version, isStale, isDirty, committedMs] = [committed, false, false, performance.now()];
    if (last) right = undefined;
  };
  /** Commits all changes so far. Changes during a commit are part of the next one. */
  const commit = (): Promise<void> => {
    queued ??= gate.alone(async () => {
      queued = undefined;
      await commitNow();
    });
    return queued;
  };
  const commitOrFail = async () => {
    for (const deadline = performance.now() + retryMs; ; ) {
      try {
        return await commit();
      } catch (error) {
        const isLost = error instanceof ToolwrightError && error.code === 'WORKSPACE_LOST';
        if (!isLost && performance.now() + RETRY_MS < deadline) {
          await sleep(RETRY_MS);
          continue;
        }
        const own = right;
        const failure = error instanceof ToolwrightError ? error : saveFailed(error);
        fail(failure);
        if (own && !isLost) await rows.release(own).catch(() => undefined);
        throw failure;
      }
    }
  };
  const run = async <T>(use: Use, needsRight: boolean, work: () => Promise<T>): Promise<T> => {
    const leave = await enter(use, needsRight);
    try {
      return await work();
    } finally {
      leave();
    }
  };

  return {
    use(options) {
      const use: Use = { options, isEnding: false };
      const { right: time, execution } = options;
      open.add(use);
      return {
        read: (work) => run(use, time === 'first', work),
        change: (work) =>
          run(use, time !== 'end', async () => {
            isDirty = true;
            const result = await work();
            const request = requestOfChange();
            if (execution !== undefined && request !== undefined) noteApplied(applied, execution, request);
            return result;
          }),
        async end() {
          if (use.isEnding) return;
          use.isEnding = true;
          try {
            if (sharing.has(use)) await commitOrFail();
            if (use.failure) throw use.failure;
          } finally {
            sharing.delete(use);
            open.delete(use);
          }
        },
        async discard() {
          if (use.isEnding) return;
          use.isEnding = true;
          sharing.delete(use);
          open.delete(use);
          if (sharing.size > 0) return;
          if (isDirty) [isDirty, isStale] = [false, true];
          await release();
        },
        isApplied: (request) =>
          run(use, time !== 'end', async () => applied.get(execution ?? '')?.has(request) ?? false),
      };
    },
    isUsed: () => open.size > 0 || right !== undefined || acquiring !== undefined,
    right: () => right,
    lost: () => fail(workspaceLost()),
    tick(isWanted) {
      if (!right) return;
      const now = performance.now();
      const isTurnOver = isWanted && now - right.sinceMs > TURN_MS;
      const isDue = isDirty && now - committedMs > COMMIT_INTERVAL_MS;
      if (!isTurnOver && !isDue && (isDirty || sharing.size > 0)) return;
      const work = isTurnOver ? gate.alone(() => commitNow().then(release)) : commit();
      // The next beat, or the end of the use, tries again.
      work.catch((error: unknown) => {
        if (error instanceof ToolwrightError && error.code === 'WORKSPACE_LOST') fail(error);
      });
    },
  };
}

function noteApplied(applied: Map<string, Set<number>>, execution: string, request: number): void {
  const requests = applied.get(execution) ?? new Set();
  applied.set(execution, requests.add(request));
}

function workspaceLost(): ToolwrightError {
  const message =
    'This process lost the right to change the workspace, because it did not renew it within 5 seconds. Another process may have changed the files meanwhile, so the changes since the last commit were discarded. Run the program again.';
  return new ToolwrightError('WORKSPACE_LOST', message);
}

function saveFailed(cause: unknown): ToolwrightError {
  const message =
    'The changes of the workspace could not be saved, and were discarded. Check the data folder and its disk.';
  return new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
}
