import type { BlobStore } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import type { FolderUseOptions } from './folder-use.ts';
import { type LocalCopy, openLocalCopy } from './local-copy.ts';
import type { FolderRows, WriteRight } from './rows.ts';

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

/** A use by one execution or operation of this process. */
export interface Use {
  readonly options: FolderUseOptions;
  /** Why its changes were discarded. */
  failure?: ToolwrightError;
  isEnding: boolean;
  /** `performance.now()` when it last looked for a newer version. */
  checkedMs?: number;
}

/** A right of this process, and `performance.now()` when it was given. */
export type HeldRight = WriteRight & { readonly sinceMs: number };

/** The state of one folder in this process. */
export interface FolderState {
  readonly gate: Gate;
  readonly copy: LocalCopy;
  /** Uses that are not ended. */
  readonly open: Set<Use>;
  /** Those of them that share the right to write, or wait for it. */
  readonly sharing: Set<Use>;
  right: HeldRight | undefined;
  version: number;
  /** Whether the copy may have files of no version. */
  isStale: boolean;
  /** Whether the copy has changes since the last commit. */
  isDirty: boolean;
  /** `performance.now()` at the last commit. */
  committedMs: number;
  /** The requests of executions whose changes the copy has. */
  applied: Map<string, Set<number>>;
}

/** Lets many operations use a folder at once, or one step change it as a whole. */
interface Gate {
  /** Waits for a running step, and enters. The result leaves again. An operation enters once: a step may wait between. */
  enter(): Promise<() => void>;
  /** Runs a step while no operation is inside. Steps run in their order, before operations that came later. */
  alone<T>(step: () => Promise<T>): Promise<T>;
}

/** Creates the state of a folder of which nothing is known yet. */
export function createFolderState({ root, top }: VersionedFolderOptions): FolderState {
  return {
    gate: createGate(),
    copy: openLocalCopy(root, top),
    open: new Set(),
    sharing: new Set(),
    right: undefined,
    version: 0,
    isStale: true,
    isDirty: false,
    committedMs: 0,
    applied: new Map(),
  };
}

/** Gives the right up, and discards the changes since the last commit. The uses that made them fail. */
export function failUses(state: FolderState, error: ToolwrightError): void {
  state.right = undefined;
  if (!state.isDirty) return;
  for (const use of state.sharing) use.failure = error;
  state.sharing.clear();
  state.isDirty = false;
  state.isStale = true;
}

/** Returns whether nobody uses the right after the uses that end now. */
export function isLastUse({ sharing }: FolderState): boolean {
  return [...sharing].every(({ isEnding }) => isEnding);
}

/** Returns the error of changes that were made under a lost right. */
export function workspaceLost(): ToolwrightError {
  const message =
    'This process lost the right to change the workspace, because it did not renew it within 5 seconds. Another process may have changed the files meanwhile, so the changes since the last commit were discarded. Run the program again.';
  return new ToolwrightError('WORKSPACE_LOST', message);
}

/** Returns whether an error means that another process has the right. */
export function isLost(error: unknown): error is ToolwrightError {
  return error instanceof ToolwrightError && error.code === 'WORKSPACE_LOST';
}

/** Creates the gate of one folder. */
function createGate(): Gate {
  let inside = 0;
  let steps = 0;
  let last: Promise<unknown> = Promise.resolve();
  let emptied: (() => void) | undefined;
  const leave = () => {
    inside--;
    if (inside === 0) emptied?.();
  };
  const empty = async () => {
    if (inside === 0) return;
    await new Promise<void>((resolve) => {
      emptied = resolve;
    });
    emptied = undefined;
  };
  return {
    async enter() {
      while (steps > 0) await last;
      inside++;
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
    alone(step) {
      steps++;
      const result = last.then(empty).then(step);
      last = result
        .catch(() => undefined)
        .then(() => {
          steps--;
        });
      return result;
    },
  };
}
