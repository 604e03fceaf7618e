import type { GuestBridge } from '@toolwright/sandbox';

export interface PastChangesOptions {
  /** The host's bridge, which records nothing. */
  readonly bridge: Pick<GuestBridge, 'request'>;
  /** Records the path of a changed file. */
  readonly note: (path: string) => void;
}

/** The changes of files before an execution was continued. */
export interface PastChanges {
  /** Receives a request of the past that succeeded, in the order of the program. */
  add(id: number, payload: string): void;
  /** Resolves when all changes are made. */
  ended(): Promise<void>;
}

const CHANGE =
  /^\["fs\.(?:writeText|writeBytes|appendText|appendBytes|mkdir|remove|removeFolder|rename|copy)", ?("(?:[^"\\]|\\.){1,4096}")(?:, ?("(?:[^"\\]|\\.){1,4096}"))?/;
const SKILLS = '/skills/';

/** Returns the paths of a request that changes files; none for any other. */
export function changedPaths(payload: string): string[] {
  return (CHANGE.exec(payload) ?? []).slice(1).flatMap((text) => (text === undefined ? [] : [JSON.parse(text)]));
}

/** Returns whether a request changes the files of skills, which every execution has of its own. */
export function changesSkills(payload: string): boolean {
  return changedPaths(payload).some((path) => path.startsWith(SKILLS));
}

/**
 * Notes the changes of the past. Those of the workspace are there. Those of skills are made again: they are kept apart from the
 * saved skills until the execution ends, and are lost with its process.
 */
export function createPastChanges({ bridge, note }: PastChangesOptions): PastChanges {
  let work = Promise.resolve();
  return {
    add(id, payload) {
      const [path] = changedPaths(payload);
      if (path === undefined) return;
      if (!payload.startsWith('["fs.mkdir"')) note(path);
      if (changesSkills(payload)) {
        work = work.then(async () => {
          await bridge.request(id, payload);
        });
      }
    },
    ended: () => work,
  };
}
