import { createHash } from 'node:crypto';
import type { Tool } from '@toolwright/connectors';

/** Returns a hash of tool definitions: names, titles, descriptions, schemas and annotations. It does not depend on the order of keys. */
export function fingerprintOf(tools: readonly Tool[]): string {
  const hash = createHash('sha256');
  for (const { server, definition } of tools) {
    const { name, title, description, inputSchema, outputSchema, annotations } = definition;
    const parts = [server, name, title, description, inputSchema, outputSchema, annotations];
    hash.update(JSON.stringify(parts, sortedKeys)).update('\n');
  }
  return hash.digest('hex');
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
