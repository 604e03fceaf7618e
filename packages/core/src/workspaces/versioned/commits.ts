import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { CheckOuts } from './check-outs.ts';
import { folderContents } from './contents.ts';
import {
  type FolderState,
  failUses,
  isLastUse,
  isLost,
  type VersionedFolderOptions,
  workspaceLost,
} from './folder-state.ts';

/** Makes the changes of a copy the newest version of its folder. */
export interface Commits {
  /** Commits all changes so far. Changes during a commit are part of the next one. The last use also releases the right. */
  commit(): Promise<void>;
  /** Tries again while a database or storage does not answer. If that fails, the changes are discarded, and all uses fail. */
  commitOrFail(): Promise<void>;
  /** Commits and releases the right, although some still use it. */
  handOver(): Promise<void>;
}

const RETRY_MS = 200;

/** Creates the commits of one folder. */
export function createCommits(
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
