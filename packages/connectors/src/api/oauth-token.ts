import * as z from 'zod';
import { readBytes } from '../content/read-bytes.ts';
import { ToolwrightError } from '../errors.ts';
import { networkReason } from '../network/network-reason.ts';
import { outgoingFetch } from '../network/outgoing-fetch.ts';
import type { ApiAuth } from '../servers/server-config.ts';
import { orAborted } from './call-scope.ts';
import type { CallScope } from './request.ts';

/** The access tokens of one OAuth client. */
export interface TokenSource {
  /** Returns a valid token. Concurrent calls share one request. Raises `UPSTREAM_UNAVAILABLE`. */
  token(scope: CallScope): Promise<string>;
  /** Forgets the token, which the API has rejected. Returns false without one. */
  forget(): boolean;
  secrets(): readonly string[];
}

type ClientAuth = Extract<ApiAuth, { type: 'oauth2' }> & { readonly tokenUrl: string };

const MAX_ANSWER_BYTES = 1024 * 1024;
/** A token is requested again this long before it expires. */
const EARLY_MS = 30_000;
/** The lifetime of a token when the server does not report one. */
const DEFAULT_LIFETIME_S = 300;

const answerSchema = z.object({
  access_token: z.string().min(1),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** Creates the source of tokens by the grant `client_credentials` (RFC 6749, section 4.4). */
export function createTokenSource(server: string, auth: ClientAuth): TokenSource {
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  let requested: Promise<string> | undefined;

  async function request(): Promise<string> {
    const answer = await requestToken(server, auth);
    const lifetimeMs = (answer.expires_in ?? DEFAULT_LIFETIME_S) * 1_000;
    // A short token must still serve one call.
    const untilMs = performance.now() + Math.max(lifetimeMs - EARLY_MS, lifetimeMs / 2);
    current = { token: answer.access_token, untilMs };
    return answer.access_token;
  }

  return {
    async token({ signal }) {
      if (current !== undefined && performance.now() < current.untilMs) return current.token;
      requested ??= request().finally(() => {
        requested = undefined;
      });
      return orAborted(requested, signal);
    },
    forget() {
      const hadToken = current !== undefined;
      current = undefined;
      return hadToken;
    },
    secrets: () => (current === undefined ? [] : [current.token]),
  };
}

/** Milliseconds for a token request, which the calls of several programs may share. */
const TOKEN_TIMEOUT_MS = 30_000;

async function requestToken(server: string, auth: ClientAuth): Promise<z.infer<typeof answerSchema>> {
  const { origin, pathname } = new URL(auth.tokenUrl);
  const fail = (reason: string): ToolwrightError => {
    const text = `${server} got no access token from ${origin}${pathname}: ${reason}. Check mcpServers.${server}.auth.`;
    return new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server } });
  };
  const client = [auth.clientId, auth.clientSecret].map(formEncoded).join(':');
  const scope: Record<string, string> = auth.scopes ? { scope: auth.scopes.join(' ') } : {};
  let status: number;
  let json: unknown;
  try {
    const response = await outgoingFetch(auth.tokenUrl, {
      method: 'POST',
      // A redirect would take the client's secret to another address.
      redirect: 'manual',
      headers: { accept: 'application/json', authorization: `Basic ${Buffer.from(client).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...scope, ...auth.parameters }),
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    status = response.status;
    json = parsed((await readBytes(response, MAX_ANSWER_BYTES)).toString());
  } catch (error) {
    throw fail(error instanceof ToolwrightError ? 'its answer is too large' : networkReason(error));
  }
  if (status !== 200) {
    // Only the error code of RFC 6749: other texts may quote the request.
    const { error } = Object(json);
    throw fail(`HTTP ${status}${typeof error === 'string' && /^\w{1,50}$/.test(error) ? `, ${error}` : ''}`);
  }
  const answer = answerSchema.safeParse(json);
  if (answer.success) return answer.data;
  throw fail('its answer has no bearer token');
}

function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
