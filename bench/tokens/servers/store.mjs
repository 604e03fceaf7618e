// Helpers of the fixture servers: a JSON file as the store, pages, and tool results.
import { readFileSync, writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const path = process.argv[2];

/** Reads the file for each call, because the benchmark resets it between two tasks. */
export const load = () => JSON.parse(readFileSync(path, 'utf8'));
export const save = (data) => writeFileSync(path, JSON.stringify(data));

/** Returns one page of a list. A cursor is the index of the next page. */
export function page(list, cursor, limit) {
  const start = Number(cursor ?? 0);
  const end = start + limit;
  return { page: list.slice(start, end), ...(end < list.length ? { nextCursor: String(end) } : {}) };
}

/** Returns the result of a tool with an output schema. */
export const structured = (value) => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});

/** Returns the result of a tool without an output schema. */
export const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

export const failed = (message) => ({ content: [{ type: 'text', text: message }], isError: true });

export function serve(name, instructions, register) {
  serveStdio(() => {
    const server = new McpServer({ name, version: '1.0.0' }, { instructions });
    register((tool, definition, run) => server.registerTool(tool, definition, async (args) => run(args)));
    return server;
  });
}
