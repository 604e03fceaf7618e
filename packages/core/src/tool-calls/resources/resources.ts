import { createHash } from 'node:crypto';
import { type ResourceContents, type Tool, type ToolLanguage, toolId } from '@toolwright/connectors';
import { textValue } from '@toolwright/connectors/internal';
import type { Redactor } from '@toolwright/pii/internal';
import { type Operation, requireText } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import type { ServerContext } from '../../catalog/server-contexts.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import { plainBase64 } from './base64.ts';
import { listResources, serverOf } from './find.ts';
import { RESOURCE_TOOLS } from './tools.ts';
import { createUpdates } from './updates.ts';

interface ResourceOptions {
  readonly catalog: UserCatalog;
  readonly language: ToolLanguage;
  /** The user whose program asks. */
  readonly userId: string;
  readonly redactor: Redactor;
  readonly files: Files;
  readonly maxTextBytes: number;
  /** Whether the execution was suspended or interrupted before. */
  readonly isContinued: boolean;
  readonly beforeWrite?: (() => void) | undefined;
  /** Receives a warning about a server that could not list its resources. */
  readonly onWarning: (text: string) => void;
}

/** The resources of servers, as the programs of one execution use them. */
export interface Resources {
  /** Returns a request about a resource as a tool of its server, which the stages of tool calls check, journal and redact. */
  resolve(tool: string, args: Readonly<Record<string, unknown>>): Promise<ResolvedTool>;
  /** Lists resources and templates that match a query, for `list_resources`. Redacted. */
  readonly list: Operation;
  /** Ends all subscriptions. */
  close(): void;
}

const MIB = 1024 * 1024;
/** The largest part of a resource that a program receives as a value, in bytes. Larger ones become files. */
const MAX_INLINE_BYTES: number = MIB;
/** Parts of one resource. */
const MAX_PARTS = 1_000;
const FOLDER = '/workspace/resources';
/** Texts that are data, and not documents of another kind. */
const MAY_BE_JSON = /^(?:text\/plain|[^;]*json)\b/i;

/** The parts of an execution for the content of a resource. */
interface ContentOptions {
  readonly server: string;
  readonly redactor: Redactor;
  readonly files: Files;
  /** Bytes of the largest text. */
  readonly maxTextBytes: number;
  /** Called before a file is written. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** Creates the resources of one execution. */
export function createResources(options: ResourceOptions): Resources {
  const { catalog, language, userId, redactor, files, maxTextBytes, isContinued, beforeWrite, onWarning } = options;
  const servers = catalog.contexts;
  const updates = createUpdates(isContinued);
  const tools = new Map<string, Tool>();
  const toolOf = ({ name: server, serverKey }: ServerContext, name: string): Tool => {
    const id = toolId(server, name);
    const definition = RESOURCE_TOOLS[name];
    if (!definition) throw new ToolwrightError('UNKNOWN_TOOL', `Unknown request ${name}.`);
    const tool = tools.get(id) ?? { id, server, definition, serverKey };
    tools.set(id, tool);
    return tool;
  };
  return {
    async resolve(name, args) {
      const uri = requireText(args.uri, 'read_resource takes the URI of a resource, or a resource_link');
      const server = args.server === undefined || args.server === null ? undefined : serverName(args.server);
      const owner = await serverOf(servers, uri, { server, userId });
      const call: ResolvedTool['connector']['call'] = async (_name, given, { signal } = {}) => {
        const asked = { userId, signal };
        // Placeholders in the URI are restored now.
        const wanted = { uri: String(given.uri), timeoutMs: Number(given.timeoutMs) };
        if (name === 'resources/subscribe') return updates.wait(owner.name, owner.source, wanted, asked);
        const parts = await owner.source.readResource(wanted.uri, asked);
        return resourceValue(parts, { server: owner.name, redactor, files, maxTextBytes, beforeWrite });
      };
      return { tool: toolOf(owner, name), connector: { call }, writer: catalog.writer(language) };
    },
    async list(settings) {
      const { server, query } = Object(settings);
      const named = server === undefined || server === null ? undefined : serverName(server);
      const words = typeof query === 'string' ? query.toLowerCase().split(/\s+/).filter(Boolean) : [];
      const lists = await listResources(servers, { server: named, userId }, onWarning);
      const found = await Promise.all(
        lists.map(async ({ server: from, resources, templates }) => {
          const entries = [...resources, ...templates].filter((entry) => {
            const text = `${from} ${Object.values(entry).join(' ')}`.toLowerCase();
            return words.every((word) => text.includes(word));
          });
          const { guestValue } = await redactor.redactResult(entries, { server: from });
          return (guestValue as typeof entries).map((entry) => ({ ...entry, server: from }));
        }),
      );
      return found.flat();
    },
    close: updates.close,
  };
}

function serverName(server: unknown): string {
  return requireText(server, 'The server of a resource is a text');
}

/**
 * Returns the value of a resource for a program. One part is a text, parsed JSON, or `{ uri, mimeType, bytes, blob }` with base64.
 * A part over 1 MiB is a redacted file: `{ uri, mimeType, bytes, path }`. Several parts are a list of
 * `{ uri, mimeType, value }`. Raises `TOOL_RESULT_TOO_LARGE`, `UPSTREAM_PROTOCOL`, and the errors of files.
 */
async function resourceValue(parts: readonly ResourceContents[], options: ContentOptions): Promise<unknown> {
  const [first] = parts;
  if (first === undefined) return null;
  if (parts.length === 1) return partValue(first, options);
  if (parts.length > MAX_PARTS) {
    const message = `The resource has ${parts.length} parts, the limit is ${MAX_PARTS}. Read its parts by their URIs.`;
    throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
  }
  const values: unknown[] = [];
  for (const part of parts) {
    values.push({ uri: part.uri, mimeType: part.mimeType ?? null, value: await partValue(part, options) });
  }
  return values;
}

async function partValue(part: ResourceContents, options: ContentOptions): Promise<unknown> {
  const { uri } = part;
  const mimeType = part.mimeType ?? null;
  if ('blob' in part) {
    const blob = plainBase64(part.blob);
    if (blob === undefined) {
      throw new ToolwrightError('UPSTREAM_PROTOCOL', `${options.server} sent bytes of a resource that are not base64.`);
    }
    const bytes = Buffer.byteLength(blob, 'base64');
    if (bytes <= MAX_INLINE_BYTES) return { uri, mimeType, bytes, blob };
    return store(part, Buffer.from(blob, 'base64'), options);
  }
  const bytes = Buffer.byteLength(part.text);
  if (bytes <= MAX_INLINE_BYTES) return MAY_BE_JSON.test(mimeType ?? 'json') ? textValue(part.text) : part.text;
  if (bytes > options.maxTextBytes) {
    const [size, limit] = [bytes, options.maxTextBytes].map((each) => (each / MIB).toFixed(1));
    const message = `The resource has ${size} MiB of text, the limit is ${limit} MiB. Read a part of it.`;
    throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
  }
  // Files have placeholders, like those that a program writes.
  const { journalValue } = await options.redactor.redactResult(part.text, { server: options.server });
  return store(part, Buffer.from(String(journalValue)), options);
}

async function store(
  { uri, mimeType }: ResourceContents,
  content: Buffer,
  { server, files, beforeWrite }: ContentOptions,
): Promise<object> {
  const path = `${FOLDER}/${fileName(server, uri)}`;
  beforeWrite?.();
  await files.makeFolder(FOLDER, true);
  await files.write(path, content, 'replace');
  return { uri, mimeType: mimeType ?? null, bytes: content.length, path };
}

/** Returns a name without the text of the URI, which may have personal data. It keeps the ending of the URI. */
function fileName(server: string, uri: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, uri]))
    .digest('hex')
    .slice(0, 16);
  const ending = /\.[A-Za-z0-9]{1,8}(?=$|[?#])/.exec(uri)?.[0] ?? '';
  return `${hash}${ending}`;
}
