import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { createNodeCatalog, type NodeCatalog } from './catalog.ts';
import type { CatalogContent } from './description.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { indexOf, openIndex, writeIndex } from './index-file.ts';

/** The name of the catalogue that is part of this package: a few nodes, for tests and a first try. */
export const EXAMPLE = 'example';

const SUFFIX = '.catalog';

/** Where catalogues and templates are kept: `$XDG_CACHE_HOME/toolwright/n8n`, else `~/.cache/toolwright/n8n`. */
export function defaultCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'toolwright', 'n8n');
}

/** The versions of n8n whose catalogues are in a cache folder, oldest first. */
export function cachedVersions(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort(byVersion);
}

/** Writes a catalogue into the cache folder, beside those of other versions; returns its file. */
export function saveCatalog(folder: string, content: CatalogContent): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${content.version.replace(/[^\w.-]/g, '_')}${SUFFIX}`);
  writeIndex(file, content);
  return file;
}

/**
 * Opens a catalogue: of a version (`2.8.4`, or `2.8` for its newest), the newest without one, the file with a path, or
 * `example`. Raises `CONFIG_INVALID` when there is none, and says how to get it.
 */
export function openCatalog(folder: string, wanted?: string): NodeCatalog {
  if (wanted === EXAMPLE) return createNodeCatalog(indexOf(EXAMPLE_CATALOG));
  if (wanted !== undefined && /[\\/]/.test(wanted)) {
    if (existsSync(wanted)) return createNodeCatalog(openIndex(wanted));
    throw new ToolwrightError('CONFIG_INVALID', `There is no catalogue ${wanted}.`);
  }
  const versions = cachedVersions(folder);
  const version =
    wanted === undefined
      ? versions.at(-1)
      : versions.findLast((known) => known === wanted || known.startsWith(`${wanted}.`));
  if (version !== undefined) return createNodeCatalog(openIndex(join(folder, `${version}${SUFFIX}`)));
  const there = versions.length > 0 ? ` There are: ${versions.join(', ')}.` : '';
  const what = wanted === undefined ? 'n8n' : `n8n ${wanted}`;
  const message = `There is no catalogue of ${what} in ${folder}.${there} Fetch one: toolwright n8n sync ${wanted ?? '[VERSION]'}`;
  throw new ToolwrightError('CONFIG_INVALID', message, { details: { folder, versions } });
}

/** Orders versions by their numbers. */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
