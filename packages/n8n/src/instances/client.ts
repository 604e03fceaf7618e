import { outgoingFetch } from '@toolwright/connectors/internal';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../json.ts';
import { DEFAULT_API_TIMEOUT_MS, type N8nSettings } from '../settings.ts';

/** One request to the public API. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After `/api/v1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** The subject of the request, for messages: `workflow 12`. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/** A client of one n8n's public REST API. */
export interface N8nClient {
  /** Address of the instance, without a slash at its end. */
  readonly url: string;
  /** Sends a request and returns the parsed JSON of the response. Raises the errors of {@link createClient}. */
  send(request: ApiRequest): Promise<unknown>;
}

/** Size limit of one response, in bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 1_500;
/** n8n closes idle connections after seconds. A write on a closed connection fails, and a retry could repeat its effect. */
export const OWN_CONNECTION = { connection: 'close' } as const;
const HEADERS = { accept: 'application/json', 'content-type': 'application/json', ...OWN_CONNECTION };

/**
 * Creates a client. Requests raise `UPSTREAM_UNAVAILABLE` (no answer), `ACCESS_DENIED` (key rejected), `NOT_SUPPORTED` (no such
 * endpoint), `TOOL_FAILED` (request rejected, with n8n's message) and `UPSTREAM_PROTOCOL` (unreadable response). Raises
 * `CONFIG_INVALID` without an address or a key.
 */
export function createClient({ url, apiKey, timeoutMs = DEFAULT_API_TIMEOUT_MS }: N8nSettings): N8nClient {
  if (url === undefined || apiKey === undefined || apiKey === '') {
    const message = `No n8n instance is configured. Set n8n.url and n8n.apiKey ("$\{N8N_API_KEY}") in toolwright.json.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const base = url.replace(/\/+$/, '');
  return {
    url: base,
    async send({ method = 'GET', path, query = {}, body, what, signal }) {
      const address = new URL(`${base}/api/v1${path}`);
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) address.searchParams.set(name, String(value));
      }
      const timeout = AbortSignal.timeout(timeoutMs);
      let answer: Response;
      let text: string;
      try {
        answer = await outgoingFetch(address, {
          method,
          headers: { ...HEADERS, 'x-n8n-api-key': apiKey },
          body: body === undefined ? undefined : JSON.stringify(body),
          // A redirect would send the key to another host.
          redirect: 'error',
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        text = await readText(answer);
      } catch (error) {
        if (error instanceof ToolwrightError) throw error;
        throw unreachable(base, error, timeout.aborted ? timeoutMs : undefined);
      }
      if (answer.ok) return parseAnswer(text, `${method} ${path}`);
      throw refusal(answer.status, messageIn(text), { base, method, path, what });
    },
  };
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      const message = `The response of n8n is larger than ${MAX_ANSWER_BYTES} bytes. Request less, for example with a smaller limit.`;
      throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer(text: string, request: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    const message = `${request} returned text that is not JSON: ${text.slice(0, 80)}. Check that n8n.url is the address of n8n itself.`;
    throw new ToolwrightError('UPSTREAM_PROTOCOL', message);
  }
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body) && typeof body.message === 'string') return body.message.slice(0, MAX_MESSAGE_CHARS);
  } catch {
    // Text that is not JSON is returned unchanged.
  }
  return text.slice(0, 200);
}

function unreachable(base: string, error: unknown, timeoutMs: number | undefined): ToolwrightError {
  if (timeoutMs !== undefined) {
    const message = `n8n at ${base} did not answer within ${timeoutMs} ms. Check its log, or raise n8n.timeoutMs.`;
    return new ToolwrightError('TOOL_TIMEOUT', message, { cause: error });
  }
  const why = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
  const message = `n8n at ${base} does not answer: ${why || 'no connection'}. Start it, or correct n8n.url.`;
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: error, details: { url: base } });
}

interface Refused {
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly what: string;
}

function refusal(status: number, responseText: string, { base, method, path, what }: Refused): ToolwrightError {
  const details = { status };
  const words = responseText === '' ? '' : ` The response of n8n: ${responseText}`;
  switch (status) {
    case 401:
      return new ToolwrightError(
        'ACCESS_DENIED',
        `n8n at ${base} does not accept the API key. Create a new one in n8n (Settings, n8n API) and set n8n.apiKey.`,
        { details },
      );
    case 403:
      return new ToolwrightError(
        'ACCESS_DENIED',
        `The API key has no scope for ${method} ${path}.${words} Add the scope to the key in n8n (Settings, n8n API).`,
        {
          details,
        },
      );
    case 404:
      // n8n's router answers "not found" for an unknown endpoint; its handlers answer "Not Found" for an unknown id.
      if (responseText !== 'not found')
        return new ToolwrightError('TOOL_FAILED', `n8n has no ${what}.${words}`, { details });
      return new ToolwrightError(
        'NOT_SUPPORTED',
        `n8n at ${base} has no ${method} ${path}. Its version is too old, or n8n.url is wrong: update n8n, or correct n8n.url.`,
        { details },
      );
    case 405:
      return new ToolwrightError('NOT_SUPPORTED', `This version of n8n has no ${method} ${path}.${words}`, { details });
    default:
      if (status >= 500)
        return new ToolwrightError('UPSTREAM_PROTOCOL', `n8n failed (HTTP ${status}).${words}`, { details });
      return new ToolwrightError('TOOL_FAILED', `n8n refused ${what} (HTTP ${status}).${words}`, { details });
  }
}
