import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool, ToolDefinition } from '../packages/connectors/src/tools/tool.ts';
import { toolId } from '../packages/connectors/src/tools/tool.ts';
import { DATA_FOLDER } from './data.ts';

/** One server of a development catalog. */
export interface CatalogServer {
  readonly server: string;
  readonly description?: string;
  readonly tools: readonly Tool[];
}

/** The names of all development catalogs. */
export function catalogNames(): string[] {
  return readdirSync(join(DATA_FOLDER, 'catalogs')).map((file) => file.replace(/\.json$/, ''));
}

/** Reads one development catalog. */
export function readCatalog(name: string): CatalogServer[] {
  const servers = JSON.parse(readFileSync(join(DATA_FOLDER, 'catalogs', `${name}.json`), 'utf8')) as {
    server: string;
    description?: string;
    tools: ToolDefinition[];
  }[];
  return servers.map(({ server, description, tools }) => ({
    server,
    ...(description === undefined ? {} : { description }),
    tools: tools.map((definition) => ({ id: toolId(server, definition.name), server, definition })),
  }));
}

/** Reads one set of labelled queries. */
export function readQueries(name: string): { query: string; relevant: string[][] }[] {
  const text = readFileSync(join(DATA_FOLDER, 'retrieval', `${name}.tune.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { query: string; relevant: string[][] });
}
