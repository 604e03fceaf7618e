import { createHash } from 'node:crypto';
import type { Tool } from './tool.ts';

/** A hash of what tools are called with and say of themselves: the same for the same definitions, whatever order keys have. */
export function fingerprintOf(tools: readonly Tool[]): string {
  const hash = createHash('sha256');
  for (const { server, definition } of tools) {
    const { name, description, inputSchema, outputSchema } = definition;
    hash.update(JSON.stringify([server, name, description, inputSchema, outputSchema], sortedKeys)).update('\n');
  }
  return hash.digest('hex');
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
