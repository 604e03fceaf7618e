import { setTimeout as sleep } from 'node:timers/promises';
import { fileError } from '../paths.ts';
import { folderContents } from './contents.ts';
import type { FolderState, Use, VersionedFolderOptions } from './folder-state.ts';
import { EMPTY_MANIFEST } from './manifest.ts';
import type { NewestVersion } from './rows.ts';

/** Brings the copy of a folder to its newest version. */
export interface CheckOuts {
  /** Waits for the right to write, and checks the newest version out. Raises `FILE_ERROR` for the folder of a removed session. */
  ensureRight(): Promise<void>;
  /** Checks the newest version out for a use without the right. */
  freshen(use: Use): Promise<void>;
  /** Whether this process waits for the right. */
  isWaiting(): boolean;
  release(): Promise<void>;
}

const POLL_MS = { first: 10, most: 150 };
const DEFAULT_MAX_AGE_MS = 1_000;
/** The state of a folder that nobody has committed, or that was removed. */
const NO_VERSION: NewestVersion = { id: '', version: 0, manifest: EMPTY_MANIFEST };

/** Creates the check-outs of one folder. */
export function createCheckOuts(options: VersionedFolderOptions, state: FolderState): CheckOuts {
  const { name, rows, blobs } = options;
  let acquiring: Promise<void> | undefined;

  const knownVersion = () => (state.isStale ? -1 : state.version);
  const checkOut = async (newest: NewestVersion) => {
    if (newest.version === knownVersion()) return;
    const manifest = newest.manifest ?? state.copy.manifest;
    state.isStale = true;
    await state.copy.checkOut(manifest, folderContents(blobs, newest.id));
    Object.assign(state, { version: newest.version, isStale: false, isDirty: false });
    state.applied = new Map([...manifest.applied].map(([id, requests]) => [id, new Set(requests)]));
  };
  const acquire = async () => {
    let ticket: string | undefined;
    for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * 2, POLL_MS.most)) {
      const answer = await rows.acquire(name, { ticket, knownVersion: knownVersion() });
      if (answer === 'gone') throw fileError('ENOENT', 'The session was removed, with its files.');
      if ('right' in answer) {
        const sinceMs = performance.now();
        // Changes before the right are those of an execution that nobody else has.
        if (!state.isDirty)
          await state.gate
            .alone(() => checkOut(answer))
            .catch(async (error: unknown) => {
              await rows.release(answer.right).catch(() => undefined);
              throw error;
            });
        state.right = { ...answer.right, sinceMs };
        state.committedMs = performance.now();
        return;
      }
      ticket = answer.ticket;
      await sleep(waitMs);
    }
  };
  return {
    isWaiting: () => acquiring !== undefined,
    async ensureRight() {
      if (state.right) return;
      acquiring ??= acquire().finally(() => {
        acquiring = undefined;
      });
      await acquiring;
    },
    async freshen(use) {
      const { isNew = false, maxAgeMs = DEFAULT_MAX_AGE_MS } = use.options;
      const isFresh = use.checkedMs !== undefined && performance.now() - use.checkedMs <= maxAgeMs;
      const isOwn = () => state.right !== undefined || state.isDirty;
      if (isOwn() || isFresh || isNew) return;
      const startedMs = performance.now();
      const newest = (await rows.read(name, knownVersion())) ?? NO_VERSION;
      await state.gate.alone(async () => (isOwn() ? undefined : checkOut(newest)));
      use.checkedMs = startedMs;
    },
    async release() {
      const released = state.right;
      state.right = undefined;
      // Without an answer, it expires.
      if (released) await rows.release(released).catch(() => undefined);
    },
  };
}
