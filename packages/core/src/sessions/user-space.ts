import { ToolwrightError } from '../errors.ts';
import type { ExecutionStorage } from '../history/storages/storage.ts';
import type { DiskSpace } from '../workspaces/shared-state.ts';
import type { Session } from './session.ts';

/** The space that the data of one user takes on disk: the files and logs of sessions, and the journals and files of executions. */
export interface UserSpace extends DiskSpace {
  /** Raises `QUOTA_EXCEEDED` when the user has no space left. */
  check(): Promise<void>;
}

export interface UserSpaceOptions {
  readonly executions: ExecutionStorage;
  /** The most bytes of one user. */
  readonly maxBytes: number;
  /** Returns the sessions of a user. */
  readonly sessionsOf: (userId: string) => Promise<readonly Session[]>;
  /** Returns the bytes of sessions. Those of one customer share one workspace, which counts once. */
  readonly measure: (sessions: readonly Session[]) => Promise<number>;
}

interface Usage {
  bytes: number;
  /** Milliseconds since the epoch. */
  countedMs: number;
  /** Bytes that were added since the last count began. */
  addedBytes: number;
  counting?: Promise<void> | undefined;
}

/** A count is repeated after this time: other processes add and remove files too. */
const VALID_MS = 10 * 60 * 1_000;
/** Nothing is refused because of an older count than this. */
const FRESH_MS = 10_000;

/** Returns the function that gives the space of a user. The data of a user is counted at the first use, and then kept up to date. */
export function createUserSpaces(options: UserSpaceOptions): (userId: string) => UserSpace {
  const usages = new Map<string, Usage>();
  return (userId) => {
    const usage = usages.get(userId) ?? { bytes: 0, countedMs: Number.NEGATIVE_INFINITY, addedBytes: 0 };
    usages.set(userId, usage);
    const count = async () => {
      usage.addedBytes = 0;
      const bytes = await countBytes(userId, options);
      // Files that were written meanwhile may be in the count already: the next count corrects it.
      usage.bytes = bytes + Math.max(0, usage.addedBytes);
      usage.countedMs = Date.now();
    };
    const countedWithin = async (maxAgeMs: number) => {
      if (Date.now() - usage.countedMs <= maxAgeMs) return;
      usage.counting ??= count().finally(() => {
        usage.counting = undefined;
      });
      await usage.counting;
    };
    const hasRoom = async (bytes: number) => {
      await countedWithin(VALID_MS);
      if (usage.bytes + bytes <= options.maxBytes) return true;
      await countedWithin(FRESH_MS);
      return usage.bytes + bytes <= options.maxBytes;
    };
    const add = (bytes: number) => {
      usage.bytes += bytes;
      usage.addedBytes += bytes;
    };
    return {
      add,
      async check() {
        if (await hasRoom(1)) return;
        throw new ToolwrightError('QUOTA_EXCEEDED', fullText(usage.bytes, options.maxBytes), {
          details: { scope: 'user', quota: 'diskBytes', limit: options.maxBytes },
        });
      },
      async take(bytes) {
        if (bytes > 0 && !(await hasRoom(bytes))) {
          throw new ToolwrightError('WORKSPACE_FULL', fullText(usage.bytes, options.maxBytes));
        }
        add(bytes);
      },
    };
  };
}

function fullText(bytes: number, maxBytes: number): string {
  return `The sessions and executions of this user take ${bytes} bytes on disk; the limit is ${maxBytes}. Remove sessions or executions first.`;
}

/** Counts everything that belongs to a user: sessions and executions. */
async function countBytes(userId: string, { executions, sessionsOf, measure }: UserSpaceOptions): Promise<number> {
  return (await measure(await sessionsOf(userId))) + (await executions.bytes(userId));
}
