import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import type { CatalogContent } from './description.ts';
import { saveCatalog } from './folder.ts';
import { type EditorUser, readInstance } from './live.ts';
import { type PackageContent, readPackage } from './packages.ts';
import { downloadPackages } from './registry.ts';

/** Where a catalogue comes from. */
export interface SyncSource {
  /** Version of n8n; default: the newest of the registry, or what the packages say. */
  readonly version?: string | undefined;
  /** Tarballs or folders of packages, a folder of them, or the address of an instance; default: the npm registry. */
  readonly from?: readonly string[] | undefined;
  /** For an instance. */
  readonly user?: EditorUser | undefined;
}

/** What was written. */
export interface Synced {
  readonly version: string;
  readonly file: string;
  readonly nodeTypes: number;
  readonly credentialTypes: number;
}

/** Fetches a catalogue into the cache folder. Catalogues of other versions stay. Raises what its sources raise. */
export async function syncCatalog(folder: string, source: SyncSource): Promise<Synced> {
  const content = await contentOf(source);
  if (content.nodes.length === 0) throw new ToolwrightError('CONFIG_INVALID', 'The source holds no node types.');
  const file = saveCatalog(folder, content);
  const nodeTypes = new Set(content.nodes.map(({ name }) => name)).size;
  return { version: content.version, file, nodeTypes, credentialTypes: content.credentials.length };
}

async function contentOf({ version, from = [], user }: SyncSource): Promise<CatalogContent> {
  const [first] = from;
  if (first === undefined) {
    const downloaded = await downloadPackages(version ?? 'latest');
    return merge(downloaded.version, downloaded.packages);
  }
  if (/^https?:\/\//.test(first)) {
    if (user) return { ...(await readInstance(first, user)), ...(version === undefined ? {} : { version }) };
    const message =
      'n8n shows its node types to users of its editor only: set TOOLWRIGHT_N8N_EMAIL and TOOLWRIGHT_N8N_PASSWORD.';
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const packages: PackageContent[] = [];
  for (const path of (await Promise.all(from.map(packagePaths))).flat()) packages.push(await readPackage(path));
  return merge(version ?? packages[0]?.version ?? 'unknown', packages);
}

/** A folder may be a package, or hold tarballs and packages. */
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
    nodes: packages.flatMap(({ nodes }) => nodes),
    credentials: packages.flatMap(({ credentials }) => credentials),
  };
}
