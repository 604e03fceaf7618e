import { appendFile, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * The MCP server of the first minutes: two tools on a file in the current folder, one that reads and one that writes. It needs no
 * package and no network.
 */

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: unknown };
    readonly protocolVersion?: string;
  };
}

const FILE = resolve('notes.md');
const NOTES = {
  type: 'object',
  properties: { notes: { type: 'array', items: { type: 'string' } } },
  required: ['notes'],
};
const TOOLS = [
  {
    name: 'list_notes',
    description: 'Returns the lines of notes.md.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: NOTES,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'add_note',
    description: 'Adds a line to notes.md, and returns all lines.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, description: 'One line.' } },
      required: ['text'],
      additionalProperties: false,
    },
    outputSchema: NOTES,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
];

async function call({ name, arguments: given }: NonNullable<Request['params']>): Promise<object> {
  try {
    if (name === 'add_note') await appendFile(FILE, `${String(given?.text).replace(/\s+/g, ' ').trim()}\n`);
    const text = await readFile(FILE, 'utf8').catch(() => '');
    const structuredContent = { notes: text.split('\n').filter((line) => line !== '') };
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: (error as Error).message }] };
  }
}

async function answer({ method, params = {} }: Request): Promise<object | undefined> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'notes', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: TOOLS };
    case 'tools/call':
      return call(params);
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  const result = await answer(request);
  const reply = result ? { result } : { error: { code: -32_601, message: `There is no method ${request.method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply })}\n`);
}
