import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { OmittedTool } from '../../connector.ts';
import { ToolwrightError } from '../../errors.ts';
import type { JsonSchema, ToolDefinition } from '../../tools/tool.ts';
import { measureTool } from '../../tools/usable-tool.ts';
import { toolUi } from '../apps.ts';

/** Maximum pages of one tool list. */
const MAX_PAGES = 200;
/** Maximum tools of one server. */
const MAX_TOOLS = 10_000;
/** Maximum characters of all tool definitions of one server. */
const MAX_CHARACTERS = 64_000_000;
/** Maximum characters of a tool's name. The protocol recommends at most 128. */
const MAX_NAME_CHARACTERS = 500;
/** Characters of the name of a tool that is left out. */
const MAX_SHOWN_CHARACTERS = 100;

// Lenient: one malformed tool must not hide the others.
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const hint = z.boolean().optional().catch(undefined);
const toolSchema = z.object({
  _meta: z.unknown().optional().transform(toolUi),
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.custom<JsonSchema>(isSchema).catch({ type: 'object' }),
  outputSchema: z.custom<JsonSchema>(isSchema).optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
    })
    .optional()
    .catch(undefined),
});

/** The tools of a server, and those that are left out. */
export interface ListedTools {
  readonly tools: readonly ToolDefinition[];
  readonly omitted: readonly OmittedTool[];
  /** Why the list ends before its last page; absent for a whole list. The tools up to there count. */
  readonly cut?: string;
}

/**
 * Returns the tool list of a server, after the last page (specification: Pagination). Leaves out a tool without a usable name
 * (1 to 500 characters), and one whose definition is too deep or too large. A schema that is not an object counts as absent. `timeoutMs` applies to each page.
 * A list without an end is cut: some servers always send a cursor. Raises `UPSTREAM_PROTOCOL` when the list exceeds a limit of size.
 */
export async function listTools(server: string, client: Client, timeoutMs: number): Promise<ListedTools> {
  const tools = new Map<string, ToolDefinition>();
  const omitted: OmittedTool[] = [];
  const cursors = new Set<string>();
  let characters = 0;
  const ended = (cut?: string): ListedTools => ({ tools: [...tools.values()], omitted, cut: cut || undefined });
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(client, cursor, timeoutMs).catch((error) => {
      if (error instanceof ProtocolError && cursor !== undefined) return undefined;
      throw error;
    });
    if (page === undefined) return ended(`the server refuses its own cursor ${shownCursor(cursor)}`);
    const known = tools.size + omitted.length;
    for (const raw of page.tools) {
      const measured = measureTool(raw);
      characters += measured.characters;
      if (characters > MAX_CHARACTERS) throw endless(server, `more than ${MAX_CHARACTERS / 1e6} million characters`);
      const parsed = measured.problem === undefined ? toolSchema.safeParse(raw) : undefined;
      const isOfViews = parsed?.data?._meta?.visibility?.includes('model') === false;
      if (parsed?.success && isOfViews)
        omitted.push({ name: shownName(raw), problem: 'only a view of its server may call it' });
      else if (parsed?.success) tools.set(parsed.data.name, definition(parsed.data));
      else omitted.push({ name: shownName(raw), problem: measured.problem ?? 'it has no usable name' });
    }
    if (tools.size + omitted.length > MAX_TOOLS) throw endless(server, `more than ${MAX_TOOLS} tools`);
    if (page.nextCursor === undefined || page.nextCursor === null) return ended();
    if (cursors.has(page.nextCursor)) return ended(`the server sent the cursor ${shownCursor(page.nextCursor)} twice`);
    if (page.tools.length > 0 && tools.size + omitted.length === known) return ended('the server sent a page twice');
    if (cursors.size >= MAX_PAGES) return ended(`the server sent more than ${MAX_PAGES} pages`);
    cursor = page.nextCursor;
    cursors.add(cursor);
  }
}

function shownCursor(cursor = ''): string {
  return JSON.stringify(cursor.slice(0, MAX_SHOWN_CHARACTERS));
}

function shownName(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined;
  return typeof name === 'string' ? name.slice(0, MAX_SHOWN_CHARACTERS) : '';
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
    // The server has prompts or resources only.
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { tools: [] };
    throw error;
  }
}

function definition(parsed: z.infer<typeof toolSchema>): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: ui } = parsed;
  return {
    name,
    inputSchema,
    title,
    description,
    outputSchema,
    annotations: annotations === undefined ? undefined : JSON.parse(JSON.stringify(annotations)),
    ui,
  };
}

function endless(server: string, what: string): ToolwrightError {
  return new ToolwrightError('UPSTREAM_PROTOCOL', `The tool list of ${server} is too long: it sent ${what}.`);
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}
