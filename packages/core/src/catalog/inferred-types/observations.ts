import { createHash } from 'node:crypto';
import type { JsonSchema, Tool } from '@toolwright/connectors';
import { asSchema, mergeShapes, observe } from './shape.ts';
import { MAX_TYPE_CHARACTERS, type OpenUserTypes, type UserTypes } from './user-types.ts';

/** The types of each user's earlier results, for tools without an output schema. No user sees the types of another. */
export interface Observations extends AsyncDisposable {
  /** Resolves when the types of a user are read; undefined if they need no waiting. Never rejects. */
  ready(userId: string): Promise<void> | undefined;
  /** Returns the types in the results that a user received; undefined before the first result. */
  schemaOf(userId: string, tool: Tool): JsonSchema | undefined;
  /** Records the types in a result for its user. Never records a value. */
  record(userId: string, tool: Tool, result: unknown): void;
}

/** Consecutive results without a new type, after which this process stops recording a tool. */
const ENOUGH_RESULTS = 50;
/** Maximum users whose types are in memory. */
const MAX_USERS = 100;

/**
 * Opens the recorded types of all users. A recorded type stays valid when other tools change, or when only the order of keys in the schema
 * changes.
 */
export function openObservations(open: OpenUserTypes): Observations {
  const users = new Map<string, UserTypes>();
  const hashes = new WeakMap<Tool, string>();

  const hashOf = (tool: Tool): string => {
    const hash = hashes.get(tool) ?? definitionHash(tool);
    hashes.set(tool, hash);
    return hash;
  };
  const typesOf = (userId: string): UserTypes => {
    const types = users.get(userId) ?? open(userId);
    // The order of the map is the order of the last uses.
    users.delete(userId);
    users.set(userId, types);
    const [[oldest, unused] = []] = users.size > MAX_USERS ? users : [];
    if (oldest !== undefined) {
      void unused?.flush();
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
      if (text === JSON.stringify(entry.shape) || text.length > MAX_TYPE_CHARACTERS) {
        entry.unchanged++;
        return;
      }
      entry.shape = shape;
      entry.unchanged = 0;
      types.write(hash);
    },
    ready: (userId) => typesOf(userId).ready?.(),
    async [Symbol.asyncDispose]() {
      await Promise.all([...users.values()].map((types) => types.flush()));
    },
  };
}

function definitionHash({ server, definition: { name, description, inputSchema } }: Tool): string {
  const text = JSON.stringify([server, name, description, inputSchema], (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
