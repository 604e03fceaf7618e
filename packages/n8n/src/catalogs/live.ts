import { outgoingFetch } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../json.ts';
import type { CatalogContent, KnownPackage } from './description.ts';
import { reduceCredentialType, reduceNode } from './reduce.ts';

/** Timeout of one request in milliseconds; the list of nodes has 16 MB. */
const ANSWER_TIMEOUT_MS = 60_000;

/** A user of the editor. n8n does not return its list of nodes for an API key. */
export interface EditorUser {
  readonly email: string;
  readonly password: string;
}

/**
 * Reads the node types of a running n8n, including community nodes. Raises `UPSTREAM_UNAVAILABLE` when the instance does not
 * answer and `ACCESS_DENIED` when the login fails.
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
    const message = `Login of ${user.email} at ${origin} failed with HTTP ${login.status}. Check TOOLWRIGHT_N8N_EMAIL and TOOLWRIGHT_N8N_PASSWORD.`;
    throw new ToolwrightError('ACCESS_DENIED', message);
  }
  const read = async (path: string): Promise<unknown> => {
    const answer = await request(`${origin}${path}`, { headers: { cookie } });
    if (answer.ok) return answer.json();
    throw new ToolwrightError(
      'UPSTREAM_PROTOCOL',
      `${origin}${path} returned HTTP ${answer.status}. Check that the address is an n8n instance.`,
    );
  };
  const [nodes, credentials, settings, verified, installed] = await Promise.all([
    read('/types/nodes.json'),
    read('/types/credentials.json'),
    read('/rest/settings'),
    readCommunity(`${origin}/rest/community-node-types`, cookie),
    readCommunity(`${origin}/rest/community-packages`, cookie),
  ]);
  const data = isObject(settings) && isObject(settings.data) ? settings.data : {};
  return {
    community: communityOf(verified, installed),
    version: String(data.versionCli ?? `instance-${new URL(url).host}`),
    nodes: list(nodes).map((node) => reduceNode(node, 'n8n-nodes-base', {})),
    credentials: list(credentials).map((credential) => reduceCredentialType(credential, 'n8n-nodes-base')),
  };
}

/** Reads a list about community nodes. n8n has none if its community packages are disabled, or if the user is no admin. */
async function readCommunity(url: string, cookie: string): Promise<Record<string, unknown>[]> {
  const answer = await request(url, { headers: { cookie } });
  const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  return list(isObject(body) ? body.data : undefined);
}

function communityOf(
  verified: readonly Record<string, unknown>[],
  installed: readonly Record<string, unknown>[],
): KnownPackage[] {
  const versions = new Map(installed.map((each) => [String(each.packageName), String(each.installedVersion)]));
  const checked = new Set(verified.map((each) => String(each.packageName)));
  const names = [...new Set([...checked, ...versions.keys()])].sort();
  return names.map((name) => ({ name, isVerified: checked.has(name), installed: versions.get(name) }));
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await outgoingFetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    const message = `${new URL(url).origin} does not answer: ${cause}. Start n8n, or correct the address.`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: error });
  }
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
