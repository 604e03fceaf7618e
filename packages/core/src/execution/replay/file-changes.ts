import type { BridgeAnswer, GuestBridge, GuestRequest } from '@toolwright/sandbox';
import { leadingTexts, toFault } from '@toolwright/sandbox/internal';
import type { Journal } from '../../journal/journal.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { PastFileChanges } from '../../sessions/session.ts';
import type { Files } from '../../workspaces/files.ts';
import { inRequest } from '../../workspaces/versioned/folder-use.ts';

export interface FileChangesOptions {
  readonly bridge: GuestBridge;
  readonly journal: Journal;
  readonly files: () => Files;
  /** The changes that a crash may have interrupted. */
  readonly earlier: Recording['changes'];
  /** Where several machines share the files: which of those changes the workspace has. */
  readonly pastChanges?: PastFileChanges | undefined;
  readonly onDefect: (id: string, error: unknown) => void;
}

/**
 * Changes that have another effect the second time, and the error of a repeated one that was made already. Appends have another effect, too. All
 * other operations of files can be repeated.
 */
const DONE: Readonly<Record<string, string>> = {
  'fs.rename': 'ENOENT',
  'fs.remove': 'ENOENT',
  'fs.removeFolder': 'ENOENT',
  'fs.mkdir': 'EEXIST',
};
const APPENDS: ReadonlySet<string> = new Set(['fs.appendText', 'fs.appendBytes']);
const NOTHING: BridgeAnswer = { ok: true, payload: 'null' };
/** Reads a file whose last append was interrupted. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Returns a bridge that makes each change of files once, also when a crash interrupts it: its journal entry comes first. */
export function recordFileChanges(options: FileChangesOptions): GuestBridge {
  const { bridge, journal, files, earlier, pastChanges, onDefect } = options;
  /** The last append to each file. An append begins after the one before it: it knows the size of the file. */
  const appends = new Map<string, Promise<unknown>>();

  const append = async ({ id, operation, text }: GuestRequest, path: string, work: () => Promise<BridgeAnswer>) => {
    const size = await sizeOf(files(), path);
    const before = earlier.get(id);
    if (before === undefined) {
      journal.startChange(id, size);
      await journal.flushed();
      return work();
    }
    const [, , content] = JSON.parse(text);
    const added = Buffer.byteLength(String(content), operation === 'fs.appendBytes' ? 'base64' : 'utf8');
    if (size >= before + added) return NOTHING;
    if (size > before) {
      const whole = await files().read(path, MAX_FILE_BYTES);
      await files().write(path, whole.subarray(0, before), 'replace');
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
  const change = async (request: GuestRequest): Promise<BridgeAnswer> => {
    const { id, operation, text } = request;
    const send = () => bridge.request(request);
    const work = pastChanges ? () => inRequest(id, send) : send;
    // Without a path or a text, the host refuses the request.
    const [path] = APPENDS.has(operation) ? leadingTexts(text, 1) : [];
    const done = DONE[operation];
    try {
      // A change of which the process made no commit is not in the workspace at all.
      if (pastChanges && earlier.has(id)) return (await pastChanges.isApplied(id)) ? NOTHING : await work();
      if (path !== undefined) return await inOrder(path, () => append(request, path, work));
      if (done === undefined) return await work();
      if (!earlier.has(id)) {
        journal.startChange(id);
        await journal.flushed();
        return await work();
      }
      const answer = await work();
      return answer.ok || JSON.parse(answer.payload).code !== done ? answer : NOTHING;
    } catch (error) {
      return { ok: false, payload: JSON.stringify(toFault(error, onDefect).fault) };
    }
  };
  return {
    ...bridge,
    request: (request) => (request.operation === 'call' && !pastChanges ? bridge.request(request) : change(request)),
  };
}

/** Returns the bytes of a file; 0 for none. */
async function sizeOf(files: Files, path: string): Promise<number> {
  const { size } = await files.stat(path).catch(() => ({ size: 0 }));
  return size;
}
