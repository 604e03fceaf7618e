import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outgoingFetch } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, objectsIn } from '../json.ts';
import type { CatalogContent, KnownPackage } from './description.ts';
import { saveCatalog } from './folder.ts';
import { type PackageContent, readPackage } from './packages.ts';
import { reduceCredentialType, reduceNode } from './reduce.ts';
import { downloadPackages, NODE_PACKAGES } from './registry.ts';

/** The source of a catalog. */
interface SyncSource {
  /** Version of n8n. Default: the newest one of the registry, or the version of the packages. */
  readonly version?: string | undefined;
  /** Tarballs or folders of packages, a folder of these, or the URL of an instance. Default: the npm registry. */
  readonly from?: readonly string[] | undefined;
  /** Login of an editor user, needed for an instance. */
  readonly user?: EditorUser | undefined;
}

/** The written catalog. */
interface Synced {
  readonly version: string;
  readonly file: string;
  readonly nodeTypes: number;
  readonly credentialTypes: number;
  /** Newer releases of n8n whose packages the registry does not have. */
  readonly incomplete?: readonly string[];
}

/** Timeout of one request in milliseconds; the list of nodes has 16 MB. */
const ANSWER_TIMEOUT_MS = 60_000;

/** A user of the editor. n8n does not return its list of nodes for an API key. */
export interface EditorUser {
  readonly email: string;
  readonly password: string;
}

/** Fetches a catalog into the cache folder. Catalogs of other versions stay. Raises the errors of its source. */
export async function syncCatalog(folder: string, source: SyncSource): Promise<Synced> {
  const { incomplete = [], ...content } = await contentOf(source);
  if (content.nodes.length === 0)
    throw new ToolwrightError(
      'CONFIG_INVALID',
      'The source holds no node types. Use packages of n8n nodes, or an n8n instance.',
    );
  const file = saveCatalog(folder, content);
  const nodeTypes = new Set(content.nodes.map(({ name }) => name)).size;
  const skipped = incomplete.length > 0 ? { incomplete } : {};
  return { version: content.version, file, nodeTypes, credentialTypes: content.credentials.length, ...skipped };
}

async function contentOf({
  version,
  from = [],
  user,
}: SyncSource): Promise<CatalogContent & { readonly incomplete?: readonly string[] }> {
  const [first] = from;
  if (first === undefined) {
    const downloaded = await downloadPackages(version ?? 'latest');
    return { ...merge(downloaded.version, downloaded.packages), incomplete: downloaded.incomplete };
  }
  if (/^https?:\/\//.test(first)) {
    if (user) {
      const content = await readInstance(first, user);
      return { ...content, version: version ?? content.version };
    }
    const message =
      'n8n returns its node types to logged-in users only. Set TOOLWRIGHT_N8N_EMAIL and TOOLWRIGHT_N8N_PASSWORD.';
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const packages: PackageContent[] = [];
  for (const path of (await Promise.all(from.map(packagePaths))).flat()) packages.push(await readPackage(path));
  const own = packages.find(({ name }) => name === NODE_PACKAGES[0]) ?? packages[0];
  const found = version ?? own?.version;
  if (found) return merge(found, packages);
  throw new ToolwrightError(
    'CONFIG_INVALID',
    'The packages have no version. Name the version of n8n: toolwright n8n sync VERSION --from SOURCE',
  );
}

/** Lists the packages in a folder, which may be a package itself. */
async function packagePaths(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return [path];
  const names = await readdir(path);
  if (names.includes('package.json') && names.includes('dist')) return [path];
  return names
    .filter((name) => name.endsWith('.tgz'))
    .sort()
    .map((name) => join(path, name));
}

function merge(version: string, packages: readonly PackageContent[]): CatalogContent {
  return {
    version,
    packages: Object.fromEntries(packages.map((each) => [each.name, each.version])),
    nodes: packages.flatMap(({ nodes }) => nodes),
    credentials: packages.flatMap(({ credentials }) => credentials),
  };
}

/**
 * Reads the node types of a running n8n, including community nodes. Raises `UPSTREAM_UNAVAILABLE` when the instance does not
 * answer and `ACCESS_DENIED` when the login fails.
 */
async function readInstance(url: string, user: EditorUser): Promise<CatalogContent> {
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
    nodes: objectsIn(nodes).map((node) => reduceNode(node, 'n8n-nodes-base', {})),
    credentials: objectsIn(credentials).map((credential) => reduceCredentialType(credential, 'n8n-nodes-base')),
  };
}

/** Reads a list about community nodes. n8n has none if its community packages are disabled, or if the user is no admin. */
async function readCommunity(url: string, cookie: string): Promise<Record<string, unknown>[]> {
  const answer = await request(url, { headers: { cookie } });
  const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  return objectsIn(isObject(body) ? body.data : undefined);
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
