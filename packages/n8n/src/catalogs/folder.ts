import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isUncreatable, ToolwrightError } from '@toolwright/core/errors';
import { createNodeCatalog, type NodeCatalog } from './catalog.ts';
import type { CatalogContent } from './description.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { indexOf, type OpenIndex, openIndex, writeIndex } from './index-file.ts';
import { byVersion } from './version.ts';

/** The name of the catalog in this package: a few nodes, for tests and first steps. */
export const EXAMPLE = 'example';

const SUFFIX = '.catalog';

/** Returns the default folder of catalogs and templates: `$XDG_CACHE_HOME/toolwright/n8n`, else `~/.cache/toolwright/n8n`. */
export function defaultCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'toolwright', 'n8n');
}

/** Creates a folder of the cache. Raises `CONFIG_INVALID` if its file system creates no folders. */
export function makeCacheFolder(folder: string): void {
  if (isUncreatable(folder)) {
    const message = `The folder ${folder} cannot be created: its file system creates no folders. Set cacheDir or XDG_CACHE_HOME to a writable folder.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  mkdirSync(folder, { recursive: true });
}

/** Returns the versions of n8n that have a catalog in a cache folder, oldest first. */
export function cachedVersions(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort(byVersion);
}

/**
 * Writes a catalog into the cache folder and returns its path. Catalogs of other versions stay. Raises `CONFIG_INVALID` if the
 * catalog of this version has nodes of other packages: then one of the two versions is wrong.
 */
export function saveCatalog(folder: string, content: CatalogContent): string {
  makeCacheFolder(folder);
  const file = join(folder, `${content.version.replace(/[^\w.-]/g, '_')}${SUFFIX}`);
  const known = openComplete(file);
  const other = known && differenceOf(known, content);
  if (other !== undefined) {
    const message = `The catalog ${file} exists with ${other}. Name the version of n8n that these packages belong to: toolwright n8n sync VERSION --from SOURCE. To replace the catalog, delete the file first.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  writeIndex(file, content);
  return file;
}

/** Returns the source of a catalog if it is another version of the same packages. */
function differenceOf(known: OpenIndex, { version, packages = {} }: CatalogContent): string | undefined {
  if (known.version !== version) return `nodes of n8n ${known.version}, not ${version}`;
  const name = Object.keys(packages).find((each) => known.packages[each] && known.packages[each] !== packages[each]);
  return name === undefined ? undefined : `${name} ${known.packages[name]}, not ${packages[name]}`;
}

/** Opens a catalog file; undefined when it is missing or incomplete. */
function openComplete(file: string): OpenIndex | undefined {
  try {
    return openIndex(file);
  } catch {
    return undefined;
  }
}

/**
 * Opens a catalog by version (`2.8.4`, or `2.8` for its newest patch), by path, or `example`. Default: the newest complete one
 * in the folder. Raises `CONFIG_INVALID` with the command to fetch a missing catalog.
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
  const fitting = versions.filter(
    (known) => wanted === undefined || known === wanted || known.startsWith(`${wanted}.`),
  );
  const fileOf = (version: string): string => join(folder, `${version}${SUFFIX}`);
  for (const version of fitting.toReversed()) {
    const index = openComplete(fileOf(version));
    if (index) return createNodeCatalog(index);
  }
  const newest = fitting.at(-1);
  // Raises the problem of the newest file.
  if (newest !== undefined) openIndex(fileOf(newest));
  const there = versions.length > 0 ? ` Available: ${versions.join(', ')}.` : '';
  const what = wanted === undefined ? 'n8n' : `n8n ${wanted}`;
  const message =
    `Found no catalog of ${what} in ${folder}.${there} Run: toolwright n8n sync ${wanted ?? ''}`.trimEnd();
  throw new ToolwrightError('CONFIG_INVALID', message, { details: { folder, versions } });
}
