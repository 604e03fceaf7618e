// What the fixture servers share: one JSON file as the store, pages, and how they are served.
import { readFileSync, writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const path = process.argv[2];

/** Nothing is kept in memory, so that the benchmark can put the file back between two tasks. */
export const load = () => JSON.parse(readFileSync(path, 'utf8'));
export const save = (data) => writeFileSync(path, JSON.stringify(data));

/** One page of a list; a cursor is the place where the next one starts. */
export function page(list, cursor, limit) {
  const start = Number(cursor ?? 0);
  const end = start + limit;
  return { page: list.slice(start, end), ...(end < list.length ? { nextCursor: String(end) } : {}) };
}

/** The answer of a tool with an output schema. */
export const structured = (value) => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});

/** The answer of a tool without one. */
export const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

export const failed = (message) => ({ content: [{ type: 'text', text: message }], isError: true });

export function serve(name, instructions, register) {
  serveStdio(() => {
    const server = new McpServer({ name, version: '1.0.0' }, { instructions });
    register((tool, definition, run) => server.registerTool(tool, definition, async (args) => run(args)));
    return server;
  });
}
