import { createToolIndex } from '@toolwright/core/tool-index';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { IndexEntry } from '../catalogs/index-file.ts';
import { shortName } from '../catalogs/names.ts';

/** One node type that matches a query. */
export interface NodeHit {
  readonly type: string;
  /** The newest version. */
  readonly version: number;
  readonly kind: NodeKind;
  readonly description: string;
}

export type NodeKind = 'trigger' | 'action' | 'ai';

/** Filters of a search. */
export interface NodeQuery {
  readonly limit?: number;
  readonly kind?: NodeKind;
  /** A package: `base`, `langchain`, or part of its name. */
  readonly source?: string;
}

/** Finds node types by name and description. */
export type NodeSearch = (query: string, options?: NodeQuery) => NodeHit[];

const MAX_HITS = 25;
/** Maximum number of words in a query that may be the name of a node. */
const MAX_NAMED_WORDS = 6;
const MAX_DESCRIPTION_CHARS = 64;
/** Number of candidates before filtering: enough for hits after any filter. */
const CANDIDATES = 200;

/** Search words for the most used nodes, whose descriptions are short. */
const WORDS: Readonly<Record<string, string>> = {
  httpRequest: 'call a REST API, web service or URL; fetch, download',
  scheduleTrigger: 'start every hour, day, minute; cron, timer, interval',
  webhook: 'receive incoming HTTP calls; endpoint',
  formTrigger: 'when a form is submitted; form submission',
  chatTrigger: 'when a chat message arrives; receive a chat message',
  executeWorkflowTrigger: 'when called by another workflow; sub-workflow',
  errorTrigger: 'when another workflow fails; on an error',
  respondToWebhook: 'answer, reply to the caller',
  set: 'edit, add, rename, change fields',
  code: 'run JavaScript or Python; script, function',
  if: 'condition, branch',
  switch: 'route by rules; cases',
  splitInBatches: 'loop, iterate over each item; batches',
  merge: 'join, combine branches',
  executeWorkflow: 'call, run a sub-workflow',
  extractFromFile: 'read, parse PDF, CSV, Excel, text of files',
  memoryBufferWindow: 'chat memory for an agent',
};

/** Creates a search index of the node types in a catalog. */
export function createNodeSearch(catalog: NodeCatalog): NodeSearch {
  const index = createToolIndex();
  const byName = new Map(catalog.entries.map((entry) => [entry.name, entry]));
  index.set('n8n', {
    tools: catalog.entries.map((entry) => ({
      id: entry.name,
      server: 'n8n',
      definition: {
        name: shortName(entry.name),
        title: entry.displayName,
        description: `${entry.displayName} ${WORDS[shortName(entry.name)] ?? ''}. ${entry.description}. ${entry.words}`,
        inputSchema: {},
      },
    })),
  });
  const byShort = new Map(catalog.entries.map((entry) => [shortName(entry.name).toLowerCase(), entry]));
  return (query, { limit = 5, kind, source } = {}) => {
    const exact = catalog.resolve(query);
    const found = index.search(query, { limit: CANDIDATES }).map(({ tool }) => byName.get(tool.id));
    const first = exact === undefined ? [] : [byName.get(exact)];
    // The index ignores stop words, and some nodes are named by them: "if", "set", "code".
    const named = query
      .toLowerCase()
      .split(/\W+/, MAX_NAMED_WORDS)
      .map((word) => byShort.get(word));
    return [...new Set([...first, found[0], ...named, ...found])]
      .filter((entry) => entry !== undefined)
      .filter((entry) => (kind === undefined || kindOf(entry) === kind) && fromSource(entry, source))
      .slice(0, Math.min(limit, MAX_HITS))
      .map(hitOf);
  };
}

function hitOf(entry: IndexEntry): NodeHit {
  const { name, description, version } = entry;
  const short =
    description.length > MAX_DESCRIPTION_CHARS ? `${description.slice(0, MAX_DESCRIPTION_CHARS - 1)}…` : description;
  return { type: name, version: Math.max(...version), kind: kindOf(entry), description: short };
}

function kindOf({ group, name, outputs }: IndexEntry): NodeKind {
  if (group.includes('trigger')) return 'trigger';
  return name.startsWith('@n8n/n8n-nodes-langchain.') || outputs.some((type) => type.startsWith('ai_'))
    ? 'ai'
    : 'action';
}

function fromSource({ name }: IndexEntry, source: string | undefined): boolean {
  return source === undefined || name.slice(0, name.lastIndexOf('.')).includes(source.toLowerCase());
}
