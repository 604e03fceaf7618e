import { outgoingFetch } from '@toolwright/connectors/internal';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from './json.ts';
import { DEFAULT_API_TIMEOUT_MS } from './settings.ts';

/** A public service that needs no key. */
export interface Service {
  readonly url: string;
  /** Its name in messages: `template library`. */
  readonly name: string;
  /** The setting with its address. */
  readonly setting: string;
}

/** Requests a JSON object; returns undefined for HTTP 404. Raises `UPSTREAM_UNAVAILABLE` and `UPSTREAM_PROTOCOL`. */
export async function fetchJson(
  { url, name, setting }: Service,
  path: string,
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const timeout = AbortSignal.timeout(DEFAULT_API_TIMEOUT_MS);
  const init = { redirect: 'error' as const, signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
  const answer = await outgoingFetch(`${url.replace(/\/+$/, '')}${path}`, init).catch((error: unknown) => {
    const why = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    const message = `The ${name} at ${url} does not answer: ${why}. Check the network, or set ${setting}.`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: error });
  });
  if (answer.status === 404) return undefined;
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && isObject(body)) return body;
  throw new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `The ${name} at ${url} returned HTTP ${answer.status} without a JSON object. Check ${setting}.`,
  );
}
