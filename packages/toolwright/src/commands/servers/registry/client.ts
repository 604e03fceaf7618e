import { outgoingFetch } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import { messageOf } from '@toolwright/core/internal';
import { isRecord } from '../../../clients/entry.ts';

/** A server as its publisher describes it: a `server.json`. */
export interface RegistryServer {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly Record<string, unknown>[];
  readonly remotes: readonly Record<string, unknown>[];
  readonly isDeprecated: boolean;
}

/** The servers that a search has found. */
export interface Found {
  readonly servers: readonly RegistryServer[];
  /** Whether the registry has further ones. */
  readonly hasMore: boolean;
}

const PAGE = 30;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Searches the names of a registry: its latest versions, without deleted ones. Raises `UPSTREAM_UNAVAILABLE` and `UPSTREAM_PROTOCOL`. */
export async function searchRegistry(registry: string, word: string): Promise<Found> {
  const query = new URLSearchParams({ search: word, version: 'latest', limit: String(PAGE) });
  const answer = await ask(registry, `/v0.1/servers?${query}`);
  const entries = isRecord(answer) && Array.isArray(answer.servers) ? answer.servers : undefined;
  if (entries === undefined) throw unreadable(registry, 'its answer has no list "servers"');
  const found = entries.flatMap((entry) => serverOf(entry) ?? []);
  const byName = new Map(found.map((server) => [server.name, server]));
  const { metadata } = answer as Record<string, unknown>;
  return { servers: [...byName.values()], hasMore: isRecord(metadata) && Boolean(metadata.nextCursor) };
}

/** Returns the latest version of a server; undefined without it. Raises the errors of {@link searchRegistry}. */
export async function readRegistryServer(registry: string, name: string): Promise<RegistryServer | undefined> {
  const answer = await ask(registry, `/v0.1/servers/${encodeURIComponent(name)}/versions/latest`);
  return answer === undefined ? undefined : serverOf(answer);
}

/** Returns the parsed answer; undefined for 404. */
async function ask(registry: string, path: string): Promise<unknown> {
  const url = `${registry.replace(/\/+$/, '')}${path}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ToolwrightError('CONFIG_INVALID', 'The address of the registry must be an http:// or https:// URL.');
  let text: string;
  let status: number;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await outgoingFetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
    status = answer.status;
    text = await boundedText(answer);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = `${messageOf(cause)}. Check the network and the address of the registry`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', `The registry ${new URL(url).origin} gave no answer: ${reason}.`);
  }
  if (status === 404) return undefined;
  if (status !== 200) throw unreadable(registry, `it answered with HTTP ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(registry, 'its answer is no JSON');
  }
}

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function unreadable(registry: string, problem: string): ToolwrightError {
  const message = `The registry ${new URL(registry).origin} cannot be read: ${problem}. Check its address: it must have the API v0.1.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message);
}

/** Reads an entry: `{ server, _meta }`, or the server itself, as older registries answer. Undefined for a deleted or unreadable one. */
function serverOf(entry: unknown): RegistryServer | undefined {
  const server = isRecord(entry) && isRecord(entry.server) ? entry.server : entry;
  if (!isRecord(server) || typeof server.name !== 'string' || server.name === '') return undefined;
  const states = [entry, server].flatMap((each) => statusesIn(each));
  if (states.includes('deleted')) return undefined;
  return {
    name: server.name,
    description: typeof server.description === 'string' ? server.description : '',
    version: typeof server.version === 'string' ? server.version : '',
    packages: Array.isArray(server.packages) ? server.packages.filter(isRecord) : [],
    remotes: Array.isArray(server.remotes) ? server.remotes.filter(isRecord) : [],
    isDeprecated: states.includes('deprecated'),
  };
}

function statusesIn(value: unknown): unknown[] {
  if (!isRecord(value)) return [];
  const meta = isRecord(value._meta) ? Object.values(value._meta) : [];
  return [value.status, ...meta.map((each) => (isRecord(each) ? each.status : undefined))];
}
