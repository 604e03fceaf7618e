import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema, Tool } from '../tool.ts';
import { asSchema, mergeShapes, type ObservedShape, observe, readShape } from './shape.ts';

/** What is remembered of the results of tools that do not declare them. */
export interface Observations extends Disposable {
  /** The types that were seen, undefined before the first result. */
  schemaOf(tool: Tool): JsonSchema | undefined;
  /** Takes note of the types in a result; never of a value. */
  record(tool: Tool, result: unknown): void;
}

/** Milliseconds from a new insight to the disk: many come together. */
const WRITE_DELAY_MS = 1_000;
/** Results in a row that taught nothing new, after which a tool is not looked at any more by this process. */
const ENOUGH_RESULTS = 50;
/** Characters of one tool's file; a shape of more is not remembered. */
const MAX_FILE_CHARACTERS = 32_768;

interface Known {
  shape: ObservedShape | undefined;
  unchanged: number;
}

/**
 * Remembers shapes in `folder`, one file for each definition of a tool: a change of another tool, or of nothing but the
 * order of its schema, keeps it. What cannot be written is forgotten with this process.
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

/** Another process may have learned something meanwhile. The file is whole at every moment. */
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
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > MAX_FILE_CHARACTERS ? undefined : readShape(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function definitionHash({ server, definition: { name, description, inputSchema } }: Tool): string {
  const text = JSON.stringify([server, name, description, inputSchema], (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
