import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, quarantine } from '../../health/damaged-files.ts';
import type { JsonSchema, Tool } from '../tool.ts';
import { asSchema, mergeShapes, type ObservedShape, observe, readShape } from './shape.ts';

/** The types of earlier results, for tools without an output schema. */
export interface Observations extends Disposable {
  /** Returns the recorded types; undefined before the first result. */
  schemaOf(tool: Tool): JsonSchema | undefined;
  /** Records the types in a result. Never records a value. */
  record(tool: Tool, result: unknown): void;
}

/** Milliseconds before a new type is written, so that several changes are written together. */
const WRITE_DELAY_MS = 1_000;
/** Consecutive results without a new type, after which this process stops recording a tool. */
const ENOUGH_RESULTS = 50;
/** Maximum characters of one tool's file. A larger shape is not recorded. */
const MAX_FILE_CHARACTERS = 32_768;

interface Known {
  shape: ObservedShape | undefined;
  unchanged: number;
}

/**
 * Opens the recorded types in `folder`, with one file per tool definition. The file stays valid when other tools change, or
 * when only the order of keys in the schema changes. If the folder is not writable, the types end with the process.
 */
export function openObservations(folder: string): Observations {
  const known = new Map<string, Known>();
  const hashes = new WeakMap<Tool, string>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const hashOf = (tool: Tool): string => {
    const hash = hashes.get(tool) ?? definitionHash(tool);
    hashes.set(tool, hash);
    return hash;
  };
  const find = (hash: string): Known => {
    const found = known.get(hash) ?? { shape: readFile(join(folder, `${hash}.json`)), unchanged: 0 };
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
    schemaOf(tool) {
      const { shape } = find(hashOf(tool));
      return shape && asSchema(shape);
    },
    record(tool, result) {
      const hash = hashOf(tool);
      const entry = find(hash);
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
      waiting.add(hash);
      timer ??= setTimeout(flush, WRITE_DELAY_MS).unref();
    },
    [Symbol.dispose]: flush,
  };
}

/** Writes a shape atomically, merged with the shape that another process may have written meanwhile. */
function writeMerged(folder: string, hash: string, shape: ObservedShape): void {
  const path = join(folder, `${hash}.json`);
  const temporary = join(folder, `${hash}.${randomUUID()}.tmp`);
  try {
    const there = readFile(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(there ? mergeShapes(there, shape) : shape), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
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
