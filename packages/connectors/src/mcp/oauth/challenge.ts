import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

/** The challenge of a server that requires a token (RFC 6750, section 3). */
export interface Challenge {
  /** Scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** Address of the server's metadata (RFC 9728, section 5.1). */
  readonly metadataUrl?: URL | undefined;
}

/** Returns the challenge of an answer; undefined for an answer without one for tokens. */
export function challengeOf(response: Response): Challenge | undefined {
  const header = response.headers.get('www-authenticate');
  if (header === null || !/(^|,\s*)(bearer|dpop)\b/i.test(header)) return undefined;
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return { scope, metadataUrl: resourceMetadataUrl };
}

/** Sends a request without a token to a server, and returns its challenge; undefined if it needs no token. */
export async function probe(url: string, send: typeof fetch): Promise<Challenge | undefined> {
  const clientInfo = { name: 'toolwright', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    signal: AbortSignal.timeout(PROBE_MS),
  });
  await response.body?.cancel();
  return response.status === 401 || response.status === 403 ? (challengeOf(response) ?? {}) : undefined;
}

const PROBE_MS = 30_000;
