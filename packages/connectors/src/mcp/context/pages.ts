import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { ToolwrightError } from '../../errors.ts';

/** Maximum pages of one list. */
const MAX_PAGES = 200;
/** Maximum entries of one list. */
const MAX_ENTRIES = 10_000;
/** Maximum characters of all entries of one list. */
const MAX_CHARACTERS = 16_000_000;
/** Milliseconds for all pages of one list. */
const MAX_LIST_MS = 60_000;

/** The methods that list something page by page (specification: Pagination), and where a page has its entries. */
const LISTS = {
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;

/** The list to read. */
export interface ListRequest {
  readonly server: string;
  readonly method: keyof typeof LISTS;
  /** Milliseconds for each page. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the entries of a list that `schema` accepts, after the last page. Others are left out. A server that does not know the
 * method has none. A list ends at a repeated cursor and after 200 pages. Raises `UPSTREAM_PROTOCOL` for more than 10,000 entries, 16 million characters or 60 s.
 */
export async function readPages<T>(client: Client, request: ListRequest, schema: z.ZodType<T>): Promise<readonly T[]> {
  const { method } = request;
  const entries: T[] = [];
  const cursors = new Set<string>();
  const startedMs = performance.now();
  let characters = 0;
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(client, request, cursor);
    const listed = page[LISTS[method]];
    for (const raw of Array.isArray(listed) ? listed : []) {
      count++;
      characters += JSON.stringify(raw)?.length ?? 0;
      const parsed = schema.safeParse(raw);
      if (parsed.success) entries.push(parsed.data);
    }
    if (characters > MAX_CHARACTERS) throw endless(request, `more than ${MAX_CHARACTERS / 1e6} million characters`);
    if (count > MAX_ENTRIES) throw endless(request, `more than ${MAX_ENTRIES} entries`);
    if (page.nextCursor === undefined || page.nextCursor === null) return entries;
    // Some servers always send a cursor.
    if (cursors.has(page.nextCursor) || cursors.size >= MAX_PAGES) return entries;
    if (performance.now() - startedMs > MAX_LIST_MS) throw endless(request, `no last page within ${MAX_LIST_MS} ms`);
    cursor = page.nextCursor;
    cursors.add(cursor);
  }
}

const pageSchema = z.looseObject({ nextCursor: z.string().nullish() });

async function readPage(
  client: Client,
  { method, timeoutMs, signal }: ListRequest,
  cursor: string | undefined,
): Promise<z.infer<typeof pageSchema>> {
  const params = cursor === undefined ? {} : { params: { cursor } };
  try {
    return await client.request({ method, ...params }, pageSchema, {
      timeout: timeoutMs,
      signal,
    });
  } catch (error) {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return {};
    throw error;
  }
}

function endless({ server, method }: ListRequest, what: string): ToolwrightError {
  return new ToolwrightError('UPSTREAM_PROTOCOL', `The answer of ${server} to ${method} is too long: it sent ${what}.`);
}
