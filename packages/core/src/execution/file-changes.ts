import type { BridgeAnswer, GuestBridge } from '@toolwright/sandbox';
import { toFault } from '@toolwright/sandbox/internal';
import type { Journal } from '../journal/journal.ts';
import type { Recording } from '../journal/recording.ts';
import type { PastFileChanges } from '../sessions/session.ts';
import type { Files } from '../workspaces/files.ts';
import { inRequest } from '../workspaces/versioned/folder-use.ts';

export interface FileChangesOptions {
  readonly bridge: GuestBridge;
  readonly journal: Pick<Journal, 'startChange' | 'flushed'>;
  readonly files: Pick<Files, 'stat' | 'read' | 'write'>;
  /** The changes that a crash may have interrupted. */
  readonly earlier: Recording['changes'];
  /** Where several machines share the files: which of those changes the workspace has. */
  readonly pastChanges?: PastFileChanges | undefined;
  readonly onDefect: (id: string, error: unknown) => void;
}

/** Changes that have another effect the second time. All other operations of files can be repeated. */
const CHANGE = /^\["fs\.(rename|remove|removeFolder|mkdir)",/;
const APPEND = /^\["fs\.append(?:Text|Bytes)", ?("(?:[^"\\]|\\.){1,4096}"), ?"/;
/** The error of a repeated change that was made already. */
const DONE: Readonly<Record<string, string>> = {
  rename: 'ENOENT',
  remove: 'ENOENT',
  removeFolder: 'ENOENT',
  mkdir: 'EEXIST',
};
const NOTHING: BridgeAnswer = { ok: true, payload: 'null' };
/** Reads a file whose last append was interrupted. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Returns a bridge that makes each change of files once, also when a crash interrupts it: its journal entry comes first. */
export function recordFileChanges(options: FileChangesOptions): GuestBridge {
  const { bridge, journal, files, earlier, pastChanges, onDefect } = options;
  /** The last append to each file. An append begins after the one before it: it knows the size of the file. */
  const appends = new Map<string, Promise<unknown>>();

  const append = async (id: number, path: string, payload: string, work: () => Promise<BridgeAnswer>) => {
    const size = await sizeOf(files, path);
    const before = earlier.get(id);
    if (before === undefined) {
      journal.startChange(id, size);
      await journal.flushed();
      return work();
    }
    const [operation, , content] = JSON.parse(payload);
    const added = Buffer.byteLength(content, operation === 'fs.appendBytes' ? 'base64' : 'utf8');
    if (size >= before + added) return NOTHING;
    if (size > before) {
      const whole = await files.read(path, MAX_FILE_BYTES);
      await files.write(path, whole.subarray(0, before), 'replace');
    }
    return work();
  };
  const inOrder = async (path: string, work: () => Promise<BridgeAnswer>): Promise<BridgeAnswer> => {
    const turn = (appends.get(path) ?? Promise.resolve()).then(work, work);
    appends.set(path, turn);
    try {
      return await turn;
    } finally {
      if (appends.get(path) === turn) appends.delete(path);
    }
  };
  return {
    ...bridge,
    async request(id, payload, room) {
      const request = () => bridge.request(id, payload, room);
      const work = pastChanges ? () => inRequest(id, request) : request;
      const path = appendedPath(payload);
      const [, change] = CHANGE.exec(payload) ?? [];
      try {
        // A change of which the process made no commit is not in the workspace at all.
        if (pastChanges && earlier.has(id)) return (await pastChanges.isApplied(id)) ? NOTHING : await work();
        if (path !== undefined) return await inOrder(path, () => append(id, path, payload, work));
        if (change === undefined) return await work();
        if (!earlier.has(id)) {
          journal.startChange(id);
          await journal.flushed();
          return await work();
        }
        const answer = await work();
        return answer.ok || JSON.parse(answer.payload).code !== DONE[change] ? answer : NOTHING;
      } catch (error) {
        return { ok: false, payload: JSON.stringify(toFault(error, onDefect).fault) };
      }
    },
  };
}

/** Returns the path of an append; undefined for other requests, and for those that the host refuses. */
function appendedPath(payload: string): string | undefined {
  const [, path] = APPEND.exec(payload) ?? [];
  return path === undefined ? undefined : JSON.parse(path);
}

/** Returns the bytes of a file; 0 for none. */
async function sizeOf(files: Pick<Files, 'stat'>, path: string): Promise<number> {
  const { size } = await files.stat(path).catch(() => ({ size: 0 }));
  return size;
}
