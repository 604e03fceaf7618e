import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { JsonSchema, ToolDefinition } from '../../catalog/tool.ts';
import { ToolwrightError } from '../../errors.ts';

/** Pages of one tool list; a server that has more is taken for broken. */
const MAX_PAGES = 200;
/** Tools of one server; a server that has more is taken for broken. */
const MAX_TOOLS = 10_000;
/** Characters of all that the tools of one server say of themselves; a server that says more is taken for broken. */
const MAX_CHARACTERS = 64_000_000;
/** Characters of a tool's name; the protocol asks for 128 at most. */
const MAX_NAME_CHARACTERS = 500;

// Lenient on purpose: one odd tool must not hide the others.
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const toolSchema = z.object({
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.custom<JsonSchema>(isSchema).catch({ type: 'object' }),
  outputSchema: z.custom<JsonSchema>(isSchema).optional().catch(undefined),
  annotations: z
    .object({
      title: z.string(),
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    })
    .partial()
    .optional()
    .catch(undefined),
});

/**
 * Asks for the tool list, page by page (specification: Pagination). A tool without a usable name (1 to 500 characters) is left out, a schema
 * that is no object counts as absent; `log` is told of the former.
 *
 * @param timeoutMs for each page.
 * @throws ToolwrightError `UPSTREAM_PROTOCOL` when the pages do not come to an end.
 */
export async function listTools(
  server: string,
  client: Client,
  timeoutMs: number,
  log: (line: string) => void,
): Promise<readonly ToolDefinition[]> {
  const tools = new Map<string, ToolDefinition>();
  const cursors = new Set<string>();
  let characters = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(client, cursor, timeoutMs);
    characters += JSON.stringify(page.tools).length;
    if (characters > MAX_CHARACTERS) throw endless(server, `more than ${MAX_CHARACTERS / 1e6} million characters`);
    for (const raw of page.tools) {
      const parsed = toolSchema.safeParse(raw);
      if (parsed.success) tools.set(parsed.data.name, definition(parsed.data));
      else log('left out a tool without a usable name');
    }
    if (tools.size > MAX_TOOLS) throw endless(server, `more than ${MAX_TOOLS} tools`);
    if (page.nextCursor === undefined || page.nextCursor === null) return [...tools.values()];
    if (cursors.has(page.nextCursor)) throw endless(server, 'the same page twice');
    if (cursors.size >= MAX_PAGES) throw endless(server, `more than ${MAX_PAGES} pages`);
    cursor = page.nextCursor;
    cursors.add(cursor);
  }
}

async function readPage(
  client: Client,
  cursor: string | undefined,
  timeoutMs: number,
): Promise<z.infer<typeof pageSchema>> {
  const params = cursor === undefined ? {} : { params: { cursor } };
  try {
    return await client.request({ method: 'tools/list', ...params }, pageSchema, { timeout: timeoutMs });
  } catch (error) {
    // A server of prompts or resources only.
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { tools: [] };
    throw error;
  }
}

function definition(parsed: z.infer<typeof toolSchema>): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = parsed;
  return {
    name,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: JSON.parse(JSON.stringify(annotations)) }),
  };
}

function endless(server: string, what: string): ToolwrightError {
  return new ToolwrightError('UPSTREAM_PROTOCOL', `The tool list of ${server} does not end: it sent ${what}.`);
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}
