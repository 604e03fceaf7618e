import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import { folderName } from '@toolwright/storage/internal';
import { quarantine } from '../../telemetry/health/damaged-files.ts';
import { mergeShapes, type ObservedShape, readShape } from './shape.ts';
import {
  type Known,
  MAX_TYPE_CHARACTERS,
  MAX_TYPES,
  type OpenUserTypes,
  type UserTypes,
  WRITE_DELAY_MS,
} from './user-types.ts';

/**
 * Records types in `<dataDir>/users/<user>/observed`, with one file per tool definition. If the folder is not writable, the types end
 * with the process. Deletes `<dataDir>/observed`, in which earlier versions recorded the types of all users together.
 */
export function fileTypes(dataDir: string): OpenUserTypes {
  removeSharedTypes(dataDir);
  return (userId) => openFolder(join(dataDir, 'users', folderName('user', userId), 'observed'));
}

function removeSharedTypes(dataDir: string): void {
  try {
    rmSync(join(dataDir, 'observed'), { recursive: true, force: true });
  } catch {
    // Nothing reads the files.
  }
}

function openFolder(folder: string): UserTypes {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const find = (hash: string): Known => {
    const found = known.get(hash) ?? { shape: readFile(join(folder, `${hash}.json`)), unchanged: 0 };
    if (known.size >= MAX_TYPES && !known.has(hash)) {
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
  if (names.length < MAX_TYPES) return;
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
  if (text.length > MAX_TYPE_CHARACTERS) return undefined;
  const shape = readShape(parseJson(text));
  if (shape === undefined) quarantine(path, 'file of inferred types', 'its content is not valid');
  return shape;
}
