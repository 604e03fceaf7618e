import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createNodeCatalog, type NodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import { openIndex } from '../../packages/n8n/src/catalogs/index-file.ts';
import { DATA_FOLDER } from '../data.ts';
import { type Needing, needs } from '../fixtures/needs.ts';

/** A real template and whether n8n 2.8.4 published it. */
export interface Labelled {
  readonly template: number;
  readonly accepted: boolean;
  readonly workflow: unknown;
}

/**
 * A catalog of n8n 2.8.x, which is not part of this repository: `TOOLWRIGHT_N8N_CATALOG`, or the output of `n8n sync
 * 2.8.4`.
 */
export const CATALOG_FILE: string =
  process.env.TOOLWRIGHT_N8N_CATALOG ?? join(homedir(), '.cache', 'toolwright', 'n8n', '2.8.4.catalog');
const FOLDER = join(DATA_FOLDER, 'n8n');

const withoutCatalog: string | undefined = existsSync(CATALOG_FILE)
  ? undefined
  : `no catalog ${CATALOG_FILE}: toolwright n8n sync 2.8.4`;
const missing: string | undefined = !existsSync(join(FOLDER, 'labels.jsonl'))
  ? `no templates in ${FOLDER}`
  : withoutCatalog;

/** For tests with the catalog of n8n 2.8.x. */
export const needsCatalog: Needing = needs('data', withoutCatalog);
/** For tests on real templates. */
export const needsTemplates: Needing = needs('data', missing);

/** Opens the catalog of n8n 2.8.x. */
export function openRealCatalog(): NodeCatalog {
  return createNodeCatalog(openIndex(CATALOG_FILE));
}

/** Reads all templates with their verdicts. */
export function readTemplates(): Labelled[] {
  const lines = readFileSync(join(FOLDER, 'labels.jsonl'), 'utf8').trim().split('\n');
  const there = new Set(readdirSync(join(FOLDER, 'templates')));
  return lines.flatMap((line) => {
    const { template, accepted } = JSON.parse(line) as { template: number; accepted: boolean };
    if (!there.has(`${template}.json`)) return [];
    const workflow: unknown = JSON.parse(readFileSync(join(FOLDER, 'templates', `${template}.json`), 'utf8'));
    return [{ template, accepted, workflow }];
  });
}
