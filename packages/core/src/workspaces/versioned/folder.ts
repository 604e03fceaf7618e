import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import { type CheckOuts, createCheckOuts } from './check-outs.ts';
import { folderContents } from './contents.ts';
import {
  createFolderState,
  type FolderState,
  failUses,
  type HeldRight,
  isLastUse,
  isLost,
  type Use,
  type VersionedFolderOptions,
  workspaceLost,
} from './folder-state.ts';
import { type FolderUse, type FolderUseOptions, requestOfChange } from './folder-use.ts';

/** One folder whose files any number of processes use. At most one of them writes at a time; its commits are the versions. */
export interface VersionedFolder {
  use(options: FolderUseOptions): FolderUse;
  /** Whether this process uses the folder, or has the right to write it. */
  isUsed(): boolean;
  right(): HeldRight | undefined;
  /** Notes that another process took the right. */
  lost(): void;
  /** Commits long-running changes now and then, releases an unused right, and hands a right over that others wait for. */
  tick(isWanted: boolean): void;
}

/** Changes of a long-running program are committed this often. */
const COMMIT_INTERVAL_MS = 5_000;
/** A process keeps a right this long while others wait for it. */
const TURN_MS = 3_000;

/** Makes the changes of a copy the newest version of its folder. */
interface Commits {
  /** Commits all changes so far. Changes during a commit are part of the next one. The last use also releases the right. */
  commit(): Promise<void>;
  /** Tries again while a database or storage does not answer. If that fails, the changes are discarded, and all uses fail. */
  commitOrFail(): Promise<void>;
  /** Commits and releases the right, although some still use it. */
  handOver(): Promise<void>;
}

/** Milliseconds between two attempts to commit. */
const RETRY_MS = 200;

/** Opens a folder. Reads nothing yet. */
export function openVersionedFolder(options: VersionedFolderOptions): VersionedFolder {
  const state = createFolderState(options);
  const checkOuts = createCheckOuts(options, state);
  const commits = createCommits(options, state, checkOuts);

  const enter = async (use: Use, needsRight: boolean): Promise<() => void> => {
    for (;;) {
      if (use.failure) throw use.failure;
      if (needsRight || use.options.right === 'end') state.sharing.add(use);
      if (needsRight) await checkOuts.ensureRight();
      else await checkOuts.freshen(use);
      const leave = await state.gate.enter();
      if (!use.failure && (state.right || !needsRight)) return leave;
      leave();
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
  /** Runs a change, and notes the request of the program that makes it. */
  const change = async <T>({ execution }: FolderUseOptions, work: () => Promise<T>): Promise<T> => {
    state.isDirty = true;
    const result = await work();
    const request = requestOfChange();
    if (execution !== undefined && request !== undefined) {
      state.applied.set(execution, (state.applied.get(execution) ?? new Set<number>()).add(request));
    }
    return result;
  };
  const end = async (use: Use) => {
    if (use.isEnding) return;
    use.isEnding = true;
    try {
      if (state.sharing.has(use)) await commits.commitOrFail();
      if (use.failure) throw use.failure;
    } finally {
      state.sharing.delete(use);
      state.open.delete(use);
    }
  };
  const discard = async (use: Use) => {
    if (use.isEnding) return;
    use.isEnding = true;
    state.sharing.delete(use);
    state.open.delete(use);
    if (state.sharing.size > 0) return;
    if (state.isDirty) Object.assign(state, { isDirty: false, isStale: true });
    await checkOuts.release();
  };
  return {
    use(own) {
      const use: Use = { options: own, isEnding: false };
      const isApplied = (request: number) => state.applied.get(own.execution ?? '')?.has(request) ?? false;
      state.open.add(use);
      return {
        read: (work) => run(use, own.right === 'first', work),
        change: (work) => run(use, own.right !== 'end', () => change(own, work)),
        end: () => end(use),
        discard: () => discard(use),
        isApplied: (request) => run(use, own.right !== 'end', async () => isApplied(request)),
      };
    },
    isUsed: () => state.open.size > 0 || state.right !== undefined || checkOuts.isWaiting(),
    right: () => state.right,
    lost: () => failUses(state, workspaceLost()),
    tick(isWanted) {
      const work = nextWork(state, commits, isWanted);
      // The next beat, or the end of the use, tries again.
      work?.catch((error: unknown) => {
        if (isLost(error)) failUses(state, error);
      });
    },
  };
}

/** Returns the work that is due now, if there is any. */
function nextWork(
  { right, isDirty, sharing, committedMs }: FolderState,
  commits: Commits,
  isWanted: boolean,
): Promise<void> | undefined {
  if (!right) return undefined;
  const now = performance.now();
  if (isWanted && now - right.sinceMs > TURN_MS) return commits.handOver();
  const isDue = isDirty ? now - committedMs > COMMIT_INTERVAL_MS : sharing.size === 0;
  return isDue ? commits.commit() : undefined;
}

/** Creates the commits of one folder. */
function createCommits(
  { root, rows, blobs, retryMs }: VersionedFolderOptions,
  state: FolderState,
  checkOuts: CheckOuts,
): Commits {
  let queued: Promise<void> | undefined;

  const commitNow = async () => {
    if (!state.isDirty) return isLastUse(state) ? checkOuts.release() : undefined;
    await checkOuts.ensureRight();
    const own = state.right;
    if (!own) throw workspaceLost();
    const plan = await state.copy.next(state.applied);
    if (!plan) {
      state.isDirty = false;
      return isLastUse(state) ? checkOuts.release() : undefined;
    }
    const uploaded = plan.uploads.map(({ key }) => key);
    await rows.register(own.folder, uploaded);
    await folderContents(blobs, own.folder).upload(root, plan.uploads);
    const isLast = isLastUse(state);
    const version = await rows.commit(own, plan.manifest, isLast);
    if (version === undefined) {
      if (await rows.has(own.folder)) throw workspaceLost();
      // The folder of a removed session has no further version.
      return failUses(state, workspaceLost());
    }
    state.copy.committed(plan.manifest);
    Object.assign(state, { version, isStale: false, isDirty: false, committedMs: performance.now() });
    if (isLast) state.right = undefined;
  };
  const commit = (): Promise<void> => {
    queued ??= state.gate.alone(async () => {
      queued = undefined;
      await commitNow();
    });
    return queued;
  };
  return {
    commit,
    async commitOrFail() {
      for (const deadline = performance.now() + retryMs; ; ) {
        try {
          return await commit();
        } catch (error) {
          if (!isLost(error) && performance.now() + RETRY_MS < deadline) {
            await sleep(RETRY_MS);
            continue;
          }
          const own = state.right;
          const failure = error instanceof ToolwrightError ? error : saveFailed(error);
          failUses(state, failure);
          if (own && !isLost(error)) await rows.release(own).catch(() => undefined);
          throw failure;
        }
      }
    },
    handOver: () => state.gate.alone(() => commitNow().then(checkOuts.release)),
  };
}

function saveFailed(cause: unknown): ToolwrightError {
  const message = 'The changes of the workspace were not saved, and are discarded. Check the data folder and its disk.';
  return new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
}
