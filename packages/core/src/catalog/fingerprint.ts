import { createHash } from 'node:crypto';
import type { Tool } from './tool.ts';

/** Returns a hash of tool definitions: names, descriptions and schemas. It does not depend on the order of keys. */
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
