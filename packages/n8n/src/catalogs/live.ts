import { ToolwrightError } from '@toolwright/core';
import { isObject } from '../json.ts';
import type { CatalogContent } from './description.ts';
import { reduceCredentialType, reduceNode } from './reduce.ts';

/** Milliseconds for one answer; the list of nodes has 16 MB. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Who reads an instance's list of nodes: it is for users of the editor, an API key is not enough. */
export interface EditorUser {
  readonly email: string;
  readonly password: string;
}

/**
 * Reads the node types of a running n8n, community nodes included. Raises `UPSTREAM_UNAVAILABLE` when it does not answer and
 * `ACCESS_DENIED` when it does not let the user in.
 */
export async function readInstance(url: string, user: EditorUser): Promise<CatalogContent> {
  const origin = new URL(url).origin;
  const login = await request(`${origin}/rest/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ emailOrLdapLoginId: user.email, email: user.email, password: user.password }),
  });
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  if (!login.ok || cookie === '') {
    const message = `${origin} did not let ${user.email} in (HTTP ${login.status}). Check TOOLWRIGHT_N8N_EMAIL and TOOLWRIGHT_N8N_PASSWORD.`;
    throw new ToolwrightError('ACCESS_DENIED', message);
  }
  const read = async (path: string): Promise<unknown> => {
    const answer = await request(`${origin}${path}`, { headers: { cookie } });
    if (answer.ok) return answer.json();
    throw new ToolwrightError('UPSTREAM_PROTOCOL', `${origin}${path} answered HTTP ${answer.status}.`);
  };
  const [nodes, credentials, settings] = await Promise.all([
    read('/types/nodes.json'),
    read('/types/credentials.json'),
    read('/rest/settings'),
  ]);
  const data = isObject(settings) && isObject(settings.data) ? settings.data : {};
  return {
    version: String(data.versionCli ?? 'instance'),
    nodes: list(nodes).map((node) => reduceNode(node, 'n8n-nodes-base', {})),
    credentials: list(credentials).map((credential) => reduceCredentialType(credential, 'n8n-nodes-base')),
  };
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    const message = `${new URL(url).origin} does not answer: ${cause}. Start n8n, or check the address.`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: error });
  }
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
