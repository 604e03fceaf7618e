import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core/errors';
import { createNodeCatalog, type NodeCatalog } from './catalog.ts';
import type { CatalogContent } from './description.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { indexOf, openIndex, writeIndex } from './index-file.ts';

/** The name of the catalog in this package: a few nodes, for tests and first steps. */
export const EXAMPLE = 'example';

const SUFFIX = '.catalog';

/** Returns the default folder of catalogs and templates: `$XDG_CACHE_HOME/toolwright/n8n`, else `~/.cache/toolwright/n8n`. */
export function defaultCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'toolwright', 'n8n');
}

/** Returns the versions of n8n that have a catalog in a cache folder, oldest first. */
export function cachedVersions(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort(byVersion);
}

/** Writes a catalog into the cache folder and returns its path. Catalogs of other versions stay. */
export function saveCatalog(folder: string, content: CatalogContent): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${content.version.replace(/[^\w.-]/g, '_')}${SUFFIX}`);
  writeIndex(file, content);
  return file;
}

/**
 * Opens a catalog by version (`2.8.4`, or `2.8` for its newest patch), by path, or `example`. Default: the newest version in
 * the folder. Raises `CONFIG_INVALID` with the command to fetch a missing catalog.
 */
export function openCatalog(folder: string, wanted?: string): NodeCatalog {
  if (wanted === EXAMPLE) return createNodeCatalog(indexOf(EXAMPLE_CATALOG));
  if (wanted !== undefined && /[\\/]/.test(wanted)) {
    if (existsSync(wanted)) return createNodeCatalog(openIndex(wanted));
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `Catalog file ${wanted} does not exist. Correct the path, or run: toolwright n8n sync`,
    );
  }
  const versions = cachedVersions(folder);
  const version =
    wanted === undefined
      ? versions.at(-1)
      : versions.findLast((known) => known === wanted || known.startsWith(`${wanted}.`));
  if (version !== undefined) return createNodeCatalog(openIndex(join(folder, `${version}${SUFFIX}`)));
  const there = versions.length > 0 ? ` Available: ${versions.join(', ')}.` : '';
  const what = wanted === undefined ? 'n8n' : `n8n ${wanted}`;
  const message =
    `Found no catalog of ${what} in ${folder}.${there} Run: toolwright n8n sync ${wanted ?? ''}`.trimEnd();
  throw new ToolwrightError('CONFIG_INVALID', message, { details: { folder, versions } });
}

/** Compares two versions number by number, for sorting. */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
