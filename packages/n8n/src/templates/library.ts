import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core/errors';
import { readCachedFile } from '@toolwright/core/internal';
import { createToolIndex } from '@toolwright/core/tool-index';
import { makeCacheFolder } from '../catalogs/folder.ts';
import { shortName } from '../catalogs/names.ts';
import { fetchJson } from '../fetch-json.ts';
import { isObject, type JsonObject } from '../json.ts';
import { DEFAULT_TEMPLATES_URL } from '../settings.ts';

/** The summary of a template. */
export interface TemplateSummary {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly views: number;
  /** Short names of its node types. */
  readonly nodes: readonly string[];
  readonly categories: readonly string[];
}

/** A template with its workflow. */
export interface Template extends TemplateSummary {
  readonly workflow: JsonObject;
}

/** A query for templates. */
export interface TemplateQuery {
  readonly text?: string | undefined;
  /** Node types that the template must use, as short or full names. */
  readonly nodes?: readonly string[] | undefined;
  /** Services that the template must use, in an action, a trigger or a tool: `slack`, `Google Sheets`. */
  readonly services?: readonly string[] | undefined;
  readonly category?: string | undefined;
  /** Number of different node types: `simple` up to 4, `medium` up to 8, `complex` above. */
  readonly complexity?: 'simple' | 'medium' | 'complex' | undefined;
}

/** The template library, with the cached summaries. */
export interface TemplateLibrary {
  search(query: TemplateQuery, limit: number): TemplateSummary[];
  /** Returns a template, fetched when it is not in the cache. Raises `INVALID_ARGUMENTS` for an unknown id. */
  get(id: number, signal?: AbortSignal): Promise<Template>;
}

const FILE = 'templates.json';
const MAX_DESCRIPTION_CHARS = 2_000;

/**
 * Opens the templates of a cache folder. Searching raises `CONFIG_INVALID` before the first sync. A damaged file is quarantined: a
 * template is then fetched again, and the summaries need another sync.
 */
export function createLibrary(cacheDir: string, url: string = DEFAULT_TEMPLATES_URL): TemplateLibrary {
  const folder = resolve(cacheDir);
  let opened:
    | { readonly templates: readonly TemplateSummary[]; readonly index: ReturnType<typeof createToolIndex> }
    | undefined;
  const open = () => {
    opened ??= index(readSummaries(folder));
    return opened;
  };
  return {
    search({ text, nodes = [], services = [], category, complexity }, limit) {
      const { templates, index } = open();
      const wanted = nodes.map(plain);
      const used = services.map(plain);
      const ranked =
        text === undefined || text.trim() === ''
          ? templates
          : index.search(text, { limit: templates.length }).map(({ tool }) => templates[Number(tool.id)]);
      return ranked
        .filter((template) => template !== undefined)
        .filter((template) => wanted.every((name) => template.nodes.some((node) => plain(node) === name)))
        .filter((template) => used.every((name) => template.nodes.some((node) => serviceOf(node) === name)))
        .filter(
          ({ categories }) =>
            category === undefined || categories.some((each) => plain(each).includes(plain(category))),
        )
        .filter((template) => complexity === undefined || complexityOf(template) === complexity)
        .slice(0, limit);
    },
    async get(id, signal) {
      const name = join('templates', `${id}.json`);
      const parse = (text: string) => asTemplate(parseJson(text), id);
      const cached = readCachedFile(folder, name, 'template of n8n', parse);
      if (cached) return cached;
      const template = await fetchTemplate(url, id, signal);
      writeAtomic(join(folder, name), JSON.stringify(template));
      return template;
    },
  };
}

/** Writes template summaries into the cache folder and returns the file. */
export function saveSummaries(folder: string, templates: readonly TemplateSummary[]): string {
  const file = join(folder, FILE);
  writeAtomic(file, JSON.stringify({ templates }));
  return file;
}

/** Reads the summary of a template from a response of the library. */
export function readSummary(raw: JsonObject): TemplateSummary {
  const nodes = Array.isArray(raw.nodes) ? raw.nodes.filter(isObject) : [];
  const categories = Array.isArray(raw.categories) ? raw.categories.filter(isObject) : [];
  return {
    id: Number(raw.id),
    name: String(raw.name ?? ''),
    description: String(raw.description ?? '').slice(0, MAX_DESCRIPTION_CHARS),
    views: Number(raw.totalViews ?? raw.views) || 0,
    nodes: [...new Set(nodes.map((node) => shortName(String(node.type ?? node.name ?? ''))))].filter(
      (name) => name !== 'stickyNote',
    ),
    categories: categories.map(({ name }) => String(name)),
  };
}

/** Requests the library's API; returns undefined for HTTP 404. Raises the errors of {@link fetchJson}. */
export function askLibrary(url: string, path: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
  return fetchJson({ url, name: 'template library', setting: 'n8n.templatesUrl' }, path, signal);
}

async function fetchTemplate(url: string, id: number, signal?: AbortSignal): Promise<Template> {
  const body = Number.isSafeInteger(id) ? await askLibrary(url, `/api/templates/workflows/${id}`, signal) : undefined;
  const outer = isObject(body?.workflow) ? body.workflow : undefined;
  const workflow = isObject(outer?.workflow) ? outer.workflow : undefined;
  if (!outer || !workflow) {
    throw new ToolwrightError('INVALID_ARGUMENTS', `Template ${id} does not exist. Call searchTemplates to get ids.`);
  }
  return { ...readSummary({ nodes: workflow.nodes, ...outer, id }), workflow };
}

function readSummaries(folder: string): TemplateSummary[] {
  const parse = (text: string) => asSummaries(parseJson(text));
  const found = readCachedFile(folder, FILE, 'list of templates of n8n', parse);
  if (found) return found;
  throw new ToolwrightError(
    'CONFIG_INVALID',
    `Found no templates in ${folder}. Run: toolwright n8n sync --templates 1000`,
  );
}

/** Returns the summaries in the content of a cached file; undefined if it has anything else. */
function asSummaries(content: unknown): TemplateSummary[] | undefined {
  if (!isObject(content) || !Array.isArray(content.templates)) return undefined;
  return content.templates.every(isSummary) ? content.templates : undefined;
}

/** Returns the template in the content of a cached file; undefined if it has anything else. */
function asTemplate(content: unknown, id: number): Template | undefined {
  if (!isSummary(content) || content.id !== id) return undefined;
  const { workflow } = content as Partial<Template>;
  return isObject(workflow) ? { ...content, workflow } : undefined;
}

function isSummary(content: unknown): content is TemplateSummary {
  if (!isObject(content)) return false;
  const { id, name, description, views, nodes, categories } = content;
  const lists = [nodes, categories].every((list) => Array.isArray(list) && list.every(isText));
  return [name, description].every(isText) && [id, views].every(Number.isFinite) && lists;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function index(templates: TemplateSummary[]): {
  templates: TemplateSummary[];
  index: ReturnType<typeof createToolIndex>;
} {
  const made = createToolIndex();
  templates.sort((a, b) => b.views - a.views);
  made.set('templates', {
    tools: templates.map(({ name, description, nodes, categories }, place) => ({
      id: String(place),
      server: 'templates',
      definition: {
        name,
        description: `${name}. ${nodes.join(' ')}. ${categories.join(' ')}. ${description}`,
        inputSchema: {},
      },
    })),
  });
  return { templates, index: made };
}

function complexityOf({ nodes }: TemplateSummary): TemplateQuery['complexity'] {
  return nodes.length <= 4 ? 'simple' : nodes.length <= 8 ? 'medium' : 'complex';
}

/** Returns the service of a node type: that of `slackTrigger` is `slack`. */
function serviceOf(node: string): string {
  return plain(node).replace(/(?:trigger|tool)$/, '');
}

function plain(name: string): string {
  return shortName(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function writeAtomic(file: string, text: string): void {
  makeCacheFolder(dirname(file));
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}
