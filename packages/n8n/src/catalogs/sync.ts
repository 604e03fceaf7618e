import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core/errors';
import type { CatalogContent } from './description.ts';
import { saveCatalog } from './folder.ts';
import { type EditorUser, readInstance } from './live.ts';
import { type PackageContent, readPackage } from './packages.ts';
import { downloadPackages, NODE_PACKAGES } from './registry.ts';

/** The source of a catalog. */
export interface SyncSource {
  /** Version of n8n. Default: the newest one of the registry, or the version of the packages. */
  readonly version?: string | undefined;
  /** Tarballs or folders of packages, a folder of these, or the URL of an instance. Default: the npm registry. */
  readonly from?: readonly string[] | undefined;
  /** Login of an editor user, needed for an instance. */
  readonly user?: EditorUser | undefined;
}

/** The written catalog. */
export interface Synced {
  readonly version: string;
  readonly file: string;
  readonly nodeTypes: number;
  readonly credentialTypes: number;
  /** Newer releases of n8n whose packages the registry does not have. */
  readonly incomplete?: readonly string[];
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
    if (user) return { ...(await readInstance(first, user)), ...(version === undefined ? {} : { version }) };
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
