import { createHash } from 'node:crypto';
import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import { isMissing } from '../../workspaces/paths.ts';

/** Bytes of all kept values of a session. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Kept values of a session. */
export const MAX_KEPT_VALUES = 200;
/** The format of a content. `json`: of both languages; `source`, `pickle`: of Python; the others: of TypeScript. */
type KeptFormat = 'json' | 'source' | 'pickle' | 'code' | 'import' | 'clone';

/** A kept value, without its content. */
export interface KeptEntry {
  readonly format: KeptFormat;
  /** SHA-256 of the content, in hexadecimal. */
  readonly hash: string;
  /** For people: `DataFrame 1,204 × 8`. */
  readonly type: string;
  readonly bytes: number;
  /** The names that kept code uses. */
  readonly needs?: readonly string[] | undefined;
}

/** The kept values of a session by their names. */
export type KeptIndex = Readonly<Record<string, KeptEntry>>;

/** A value that a completed program keeps. */
export interface KeptChange extends Omit<KeptEntry, 'hash' | 'bytes'> {
  readonly name: string;
  readonly content: string;
}

/** The values that a session keeps from program to program. Their contents are text, stored by their hash. */
export interface KeptStore {
  index(): Promise<KeptIndex>;
  /** Returns a content; undefined for one that the session does not have any more. */
  read(hash: string): Promise<string | undefined>;
  /**
   * Stores values, which replace earlier ones of their names. Returns those that changed something, and those for which there was no
   * space.
   */
  keep(changes: readonly KeptChange[]): Promise<KeptResult>;
}

/** The values of one program that a session stored, or could not store. */
export interface KeptResult {
  readonly kept: readonly KeptChange[];
  readonly full: readonly KeptChange[];
}

const INDEX = '/workspace/index.json';
const MAX_INDEX_BYTES = 4 * 1024 * 1024;

/**
 * Returns the function that opens the kept values of a session, in its folder. Contents that no name has stay as long as there is space:
 * journals name them by their hash.
 */
export function createKeptStores(): (id: string, files: Files) => KeptStore {
  const turns = new Map<string, Promise<unknown>>();
  return (id, files) => {
    const store = openKeptStore(files);
    return {
      ...store,
      keep(changes) {
        const result = (turns.get(id) ?? Promise.resolve()).then(() => store.keep(changes));
        const turn = result
          .catch(() => undefined)
          .then(() => {
            if (turns.get(id) === turn) turns.delete(id);
          });
        turns.set(id, turn);
        return result;
      },
    };
  };
}

function openKeptStore(files: Files): KeptStore {
  const index = async (): Promise<KeptIndex> => {
    const text = await readFile(files, INDEX, MAX_INDEX_BYTES);
    return Object.assign(Object.create(null), text === undefined ? {} : JSON.parse(text));
  };
  const keep = async (changes: readonly KeptChange[]): Promise<KeptResult> => {
    const entries: Record<string, KeptEntry> = Object.assign(Object.create(null), await index());
    const kept: KeptChange[] = [];
    const full: KeptChange[] = [];
    for (const change of changes) {
      const { name, content, ...rest } = change;
      const entry: KeptEntry = { ...rest, hash: hashOf(content), bytes: Buffer.byteLength(content) };
      if (Object.hasOwn(entries, name) && entries[name]?.hash === entry.hash) continue;
      const next = { ...entries, [name]: entry };
      if (Object.keys(next).length > MAX_KEPT_VALUES || bytesOf(next) > MAX_KEPT_BYTES) full.push(change);
      else {
        entries[name] = entry;
        kept.push(change);
      }
    }
    if (kept.length === 0) return { kept, full };
    await makeRoom(files, entries);
    for (const { content } of kept) await files.write(`/workspace/${hashOf(content)}`, Buffer.from(content), 'replace');
    await files.write(INDEX, Buffer.from(JSON.stringify(entries)), 'replace');
    return { kept, full };
  };
  return {
    index,
    async read(hash) {
      const content = await readFile(files, `/workspace/${hash}`, MAX_KEPT_BYTES);
      return content !== undefined && hashOf(content) === hash ? content : undefined;
    },
    keep,
  };
}

/** Removes contents that no name has, the oldest first, until all contents fit. */
async function makeRoom(files: Files, entries: KeptIndex): Promise<void> {
  const used = new Set(Object.values(entries).map(({ hash }) => hash));
  const found = await files.list('/workspace', false).catch(() => []);
  const unused = found.filter(({ name }) => name !== 'index.json' && !used.has(name));
  let bytes = bytesOf(entries) + unused.reduce((sum, { size }) => sum + size, 0);
  for (const { name, size } of unused.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= MAX_KEPT_BYTES) return;
    await files.remove(`/workspace/${name}`, { recursive: false, force: true });
    bytes -= size;
  }
}

function bytesOf(entries: KeptIndex): number {
  const sizes = new Map(Object.values(entries).map(({ hash, bytes }) => [hash, bytes]));
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

async function readFile(files: Files, path: string, maxBytes: number): Promise<string | undefined> {
  try {
    return (await files.read(path, maxBytes)).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the content of a hash. Raises `NOT_SUPPORTED` for one that the session does not have any more. */
export async function requireContent(store: KeptStore, hash: string): Promise<string> {
  const content = /^[0-9a-f]{64}$/.test(hash) ? await store.read(hash) : undefined;
  if (content !== undefined) return content;
  const message = `The session has no kept value ${hash.slice(0, 12)} any more: later values replaced it.`;
  throw new ToolwrightError('NOT_SUPPORTED', message);
}
