import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, quarantine } from '../../telemetry/health/damaged-files.ts';
import { folderName } from '../../workspaces/folder-name.ts';
import type { JsonSchema, Tool } from '../tool.ts';
import { asSchema, mergeShapes, type ObservedShape, observe, readShape } from './shape.ts';

/** The types of each user's earlier results, for tools without an output schema. No user sees the types of another. */
export interface Observations extends Disposable {
  /** Returns the types in the results that a user received; undefined before the first result. */
  schemaOf(userId: string, tool: Tool): JsonSchema | undefined;
  /** Records the types in a result for its user. Never records a value. */
  record(userId: string, tool: Tool, result: unknown): void;
}

/** Milliseconds before a new type is written, so that several changes are written together. */
const WRITE_DELAY_MS = 1_000;
/** Consecutive results without a new type, after which this process stops recording a tool. */
const ENOUGH_RESULTS = 50;
/** Maximum characters of one tool's file. A larger shape is not recorded. */
const MAX_FILE_CHARACTERS = 32_768;
/** Maximum files of one user. A new file replaces the oldest one. */
const MAX_FILES = 1_000;
/** Maximum users whose types are in memory. */
const MAX_USERS = 100;

interface Known {
  shape: ObservedShape | undefined;
  unchanged: number;
}

/** The recorded types of one user. */
interface UserTypes {
  find(hash: string): Known;
  /** Writes a changed type soon. */
  write(hash: string): void;
  /** Writes all changed types now. */
  flush(): void;
}

/**
 * Opens the recorded types in `<dataDir>/users/<user>/observed`, with one file per tool definition. A file stays valid when
 * other tools change, or when only the order of keys in the schema changes. If the folder is not writable, the types end with
 * the process. Deletes `<dataDir>/observed`, in which earlier versions recorded the types of all users together.
 */
export function openObservations(dataDir: string): Observations {
  removeSharedTypes(dataDir);
  const users = new Map<string, UserTypes>();
  const hashes = new WeakMap<Tool, string>();

  const hashOf = (tool: Tool): string => {
    const hash = hashes.get(tool) ?? definitionHash(tool);
    hashes.set(tool, hash);
    return hash;
  };
  const typesOf = (userId: string): UserTypes => {
    const types = users.get(userId) ?? openUserTypes(join(dataDir, 'users', folderName('user', userId), 'observed'));
    // The order of the map is the order of the last uses.
    users.delete(userId);
    users.set(userId, types);
    const [[oldest, unused] = []] = users.size > MAX_USERS ? users : [];
    if (oldest !== undefined) {
      unused?.flush();
      users.delete(oldest);
    }
    return types;
  };
  return {
    schemaOf(userId, tool) {
      const { shape } = typesOf(userId).find(hashOf(tool));
      return shape && asSchema(shape);
    },
    record(userId, tool, result) {
      const types = typesOf(userId);
      const hash = hashOf(tool);
      const entry = types.find(hash);
      if (entry.unchanged >= ENOUGH_RESULTS) return;
      const seen = observe(result);
      const shape = entry.shape ? mergeShapes(entry.shape, seen) : seen;
      const text = JSON.stringify(shape);
      if (text === JSON.stringify(entry.shape) || text.length > MAX_FILE_CHARACTERS) {
        entry.unchanged++;
        return;
      }
      entry.shape = shape;
      entry.unchanged = 0;
      types.write(hash);
    },
    [Symbol.dispose]() {
      for (const types of users.values()) types.flush();
    },
  };
}

function removeSharedTypes(dataDir: string): void {
  try {
    rmSync(join(dataDir, 'observed'), { recursive: true, force: true });
  } catch {
    // Nothing reads the files.
  }
}

function openUserTypes(folder: string): UserTypes {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const find = (hash: string): Known => {
    const found = known.get(hash) ?? { shape: readFile(join(folder, `${hash}.json`)), unchanged: 0 };
    if (known.size >= MAX_FILES && !known.has(hash)) {
      flush();
      known.clear();
    }
    known.set(hash, found);
    return found;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const hash of waiting) {
      const { shape } = find(hash);
      if (shape) writeMerged(folder, hash, shape);
    }
    waiting.clear();
  };
  return {
    find,
    flush,
    write(hash) {
      waiting.add(hash);
      timer ??= setTimeout(flush, WRITE_DELAY_MS).unref();
    },
  };
}

/** Writes a shape atomically, merged with the shape that another process may have written meanwhile. */
function writeMerged(folder: string, hash: string, shape: ObservedShape): void {
  const path = join(folder, `${hash}.json`);
  const temporary = join(folder, `${hash}.${randomUUID()}.tmp`);
  try {
    const there = readFile(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!there) makeRoom(folder);
    writeFileSync(temporary, JSON.stringify(there ? mergeShapes(there, shape) : shape), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** Removes the oldest file of a full folder. */
function makeRoom(folder: string): void {
  const names = readdirSync(folder);
  if (names.length < MAX_FILES) return;
  const [oldest] = names.map((name) => ({ name, usedMs: statSync(join(folder, name)).mtimeMs })).sort(byUse);
  if (oldest) rmSync(join(folder, oldest.name), { force: true });
}

function byUse(a: { readonly usedMs: number }, b: { readonly usedMs: number }): number {
  return a.usedMs - b.usedMs;
}

function readFile(path: string): ObservedShape | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  if (text.length > MAX_FILE_CHARACTERS) return undefined;
  const shape = readShape(parseJson(text));
  if (shape === undefined) quarantine(path, 'file of inferred types', 'its content is not valid');
  return shape;
}

function definitionHash({ server, definition: { name, description, inputSchema } }: Tool): string {
  const text = JSON.stringify([server, name, description, inputSchema], (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
