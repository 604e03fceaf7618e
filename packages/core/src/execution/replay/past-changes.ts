import type { GuestBridge, GuestRequest } from '@toolwright/sandbox';
import { leadingTexts, OPERATIONS, operationOf } from '@toolwright/sandbox/internal';
import { inRequest } from '../../workspaces/versioned/folder-use.ts';

export interface PastChangesOptions {
  /** The host's bridge, which records nothing. */
  readonly bridge: GuestBridge;
  /** Records the path of a changed file. */
  readonly note: (path: string) => void;
  /** Returns whether the workspace has a change. Default: it has all. */
  readonly isApplied?: ((id: number) => Promise<boolean>) | undefined;
}

/** The changes of files before an execution was continued. */
export interface PastChanges {
  /** Receives a request of the past that succeeded, in the order of the program. */
  add(request: GuestRequest): void;
  /** Resolves when all changes are made. */
  ended(): Promise<void>;
}

const SKILLS = '/skills/';

/** Returns the paths of a request that changes files; none for any other. */
export function changedPaths(payload: string): string[] {
  return leadingTexts(payload, OPERATIONS[operationOf(payload)]?.changedPaths ?? 0);
}

/** Returns whether a request changes the files of skills, which every execution has of its own. */
export function changesSkills(payload: string): boolean {
  return changedPaths(payload).some((path) => path.startsWith(SKILLS));
}

/**
 * Notes the changes of the past. Those of the workspace are there, or are made again if their process did not commit them. Those of
 * skills are made again: they are kept apart from the saved skills until the execution ends, and are lost with its process.
 */
export function createPastChanges({ bridge, note, isApplied }: PastChangesOptions): PastChanges {
  let work = Promise.resolve();
  return {
    add({ id, operation, text }) {
      const paths = changedPaths(text);
      if (paths.length === 0) return;
      if (operation !== 'fs.mkdir') paths.forEach(note);
      if (!isApplied && !changesSkills(text)) return;
      work = work.then(async () => {
        if (changesSkills(text) || !(await isApplied?.(id)))
          await inRequest(id, () => bridge.request({ id, operation, text }));
      });
    },
    ended: () => work,
  };
}
