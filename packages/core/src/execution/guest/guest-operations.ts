import { setImmediate as nextTurn } from 'node:timers/promises';
import { acceptedAnnotations, type JsonSchema, type Tool, type ToolAnnotations } from '@toolwright/connectors';
import { cutOutsideValues, isOnlyPlaceholder, type ProgramValues, type Redactor } from '@toolwright/pii/internal';
import type { LanguageName } from '@toolwright/sandbox';
import type { Operation } from '@toolwright/sandbox/internal';
import { SKILLS_CATEGORY } from '../../catalog/categories.ts';
import { type DetailLevel, readDetailLevel } from '../../catalog/search/answer/detail-level.ts';
import type { SearchHit } from '../../catalog/search/answer/hit.ts';
import type { SearchOptions } from '../../catalog/search/search-tools.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionPart } from '../../history/result.ts';
import type { SkillOperations } from '../../skills/guest-operations.ts';
import { isLong, limitName } from '../../tool-calls/checks.ts';
import type { Media } from '../media/media.ts';

/** A module whose text has names of tools and parameters, which a server chose. */
const SERVER_MODULE = /\/servers\/[^/]/;
/** Maximum queries of one search. */
const MAX_QUERIES = 20;

interface LookupOptions {
  readonly catalog: UserCatalog;
  readonly skills: SkillOperations;
  readonly redactor: Redactor;
  /** The values that the program may see. */
  readonly values: ProgramValues;
  readonly language: LanguageName;
  readonly loadModule: (path: string) => Promise<string>;
  readonly media: Media;
  /** Adds a warning to the log of the execution, once. */
  readonly warn: (text: string) => void;
  /** Returns the value or the log lines of another execution of the user. */
  readonly executionValue: (id: string, part: ExecutionPart) => Promise<unknown>;
}

/** Maximum placeholders of one derivation or comparison. */
const MAX_PLACEHOLDERS = 10_000;

/**
 * Returns the look-up operations of a guest: tools, skills, modules, facts about placeholders, and other executions. The bridge has checked the
 * types of their parameters (`OPERATIONS`).
 */
export function lookupOperations(options: LookupOptions): Readonly<Record<string, Operation>> {
  const { catalog, skills, redactor, values, language, loadModule, media, executionValue } = options;
  const tellNotReady = async (operation: string, filter?: string) => {
    const note = catalog.notReady(filter);
    // The reason may have words of a server.
    if (note !== undefined) options.warn(await redactor.redact(`${operation} did not see all tools: ${note}.`));
  };
  return {
    list: async (wanted) => {
      const filter = optionalText(wanted);
      const tools = await catalog.list(filter);
      await tellNotReady('list_mcp_tools', filter);
      const list = tools.map(({ id, server, definition }) => ({
        name: id,
        server,
        description: firstLine(definition.description ?? definition.title ?? ''),
      }));
      return redactor.redact(list);
    },
    details: async (wanted, category) => {
      const name = String(wanted);
      limitName(name);
      const inside = optionalText(category);
      return redactor.redact(await toolDetails(name, inside, { catalog, skills, language }));
    },
    skill: (name) => skills.entry(String(name)),
    skillText: async (name) => redactor.redact(await skills.text(String(name))),
    search: async (query, settings) => {
      const queries = queriesOf(query);
      const searchableSkills = await skills.searchableSkills();
      const redactedQueries = await redactor.redactKnown(queries);
      const options = { ...searchSettings(settings), language, searchableSkills, redactedQueries };
      const { hits } = await catalog.search(queries, options);
      await tellNotReady('search_tools', options.server);
      return redactor.redact(hits.map((hit) => hitOf(hit, options.detailLevel)));
    },
    ...valueOperations(redactor, values),
    async execution(id, part = 'value') {
      if (part !== 'value' && part !== 'logs') {
        throw new ToolwrightError('INVALID_ARGUMENTS', 'execution(id, part) takes "logs" as its part, or none.');
      }
      const value = await executionValue(String(id), part);
      if (value === undefined) return value;
      // A stored value is as its program returned it, which may see values that this one may not.
      const text = JSON.stringify(await redactor.redact(value));
      if (isLong(text)) await nextTurn();
      const shown = await values.reveal(text, true);
      if (isLong(text)) await nextTurn();
      return JSON.parse(shown);
    },
    show: (what) => media.show(what),
    async module(wanted) {
      const path = String(wanted);
      const source = await loadModule(path);
      return SERVER_MODULE.test(path) ? redactor.redact(source) : source;
    },
  };
}

function queriesOf(query: unknown): string[] {
  if (Array.isArray(query) && query.length > MAX_QUERIES) {
    throw new ToolwrightError('INVALID_ARGUMENTS', `search_tools takes at most ${MAX_QUERIES} queries at once.`);
  }
  return (Array.isArray(query) ? query : [query]).map(String);
}

function searchSettings(value: unknown): SearchOptions {
  if (typeof value !== 'object' || value === null) return {};
  const {
    server,
    category,
    limit,
    detail_level = null,
    detailLevel = detail_level,
  }: Record<string, unknown> = {
    ...value,
  };
  return {
    server: optionalText(server),
    category: optionalText(category),
    detailLevel: detailLevel === null ? undefined : readDetailLevel(detailLevel),
    limit: typeof limit === 'number' ? limit : undefined,
  };
}

/** Returns a hit as a program receives it. */
function hitOf(hit: SearchHit, level: DetailLevel = 'summary'): object {
  const { id: name, server, signature, description, definition } = hit;
  if (level === 'names') return { name, server };
  return { name, server, signature, description, definition };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.slice(0, cutOutsideValues(line, 200));
}

/** Returns the operations that read the values of placeholders on the host. */
function valueOperations(redactor: Redactor, values: ProgramValues): Readonly<Record<string, Operation>> {
  return {
    async derive(placeholders, derivation) {
      const list = listOf('pii.derive', await values.concealValue(placeholders));
      if (derivation === 'sortKey' && !values.cameTogether(list)) {
        const message =
          'sortKey compares only values that one tool returned together. Call the tool again and pass its placeholders as a list.';
        throw new ToolwrightError('PII_DENIED', message);
      }
      const derived = await redactor.derive(list, derivation);
      return Array.isArray(placeholders) ? derived : derived[0];
    },
    async match(placeholders, condition) {
      const list = listOf('pii.match', await values.concealValue(placeholders));
      const matched = await redactor.match(list, condition);
      return Array.isArray(placeholders) ? matched : matched[0];
    },
    async transform(given, names) {
      const list = listOf('pii.transform', await values.concealValue(given));
      const transformed = JSON.stringify(await redactor.transform(list, Array.isArray(names) ? names : [names]));
      const shown = JSON.parse(await values.reveal(transformed, true)) as unknown[];
      return Array.isArray(given) ? shown : shown[0];
    },
    async order(given, names) {
      const list = listOf('pii.sort', await values.concealValue(given));
      if (!values.cameTogether(list.filter((value) => typeof value === 'string' && isOnlyPlaceholder(value.trim())))) {
        const message =
          'pii.sort compares only values that one tool returned together. Call the tool again and sort its list. To sort by a part, name it: pii.sort(list, "name", "last").';
        throw new ToolwrightError('PII_DENIED', message);
      }
      return redactor.order(list, Array.isArray(names) ? names : []);
    },
    async age(given, on) {
      const ages = await redactor.age(listOf('pii.age', await values.concealValue(given)), on);
      return Array.isArray(given) ? ages : ages[0];
    },
    async equal(a, b, ignoresCase) {
      const [left, right] = listOf('pii.equal', await values.concealValue([a, b]));
      return redactor.equal(left, right, ignoresCase === true);
    },
    compute: computedExpressions(redactor, values),
  };
}

/**
 * Returns the operation of rewritten expressions. It computes an expression for a placeholder, and for the others of the same tool result. So a
 * loop over them needs no further request.
 */
function computedExpressions(redactor: Redactor, values: ProgramValues): Operation {
  /** The placeholders that one expression made together. */
  const made = new Map<string, readonly string[]>();
  const nameOf = (text: unknown) => /^\[([A-Z][A-Z0-9_]*_\d+)\]$/.exec(String(text))?.[1];
  return async (placeholder, _place, kind, ...parameters) => {
    const name = nameOf(await values.concealValue(placeholder));
    if (name === undefined) return {};
    const concealed = (await values.concealValue(parameters)) as unknown[];
    if (kind === 'equal') return { equal: await redactor.equal(placeholder, concealed[0], false).catch(nothing) };
    const together = (made.get(name) ?? values.receivedWith(name)).slice(0, MAX_PLACEHOLDERS);
    // The wanted one comes first.
    const names = [name, ...together.filter((other) => other !== name)];
    const results = await redactor.compute(names, [String(kind), ...concealed]);
    const lists = results.map((result) => (Array.isArray(result) ? result : [result]));
    for (let at = 0; at < Math.max(...lists.map(({ length }) => length)); at++) {
      const others = lists.flatMap((list) => nameOf(list[at]) ?? []);
      for (const other of others) if (!names.includes(other)) made.set(other, others);
    }
    const of = names.filter((_, index) => results[index] !== undefined).map((each) => `[${each}]`);
    const known = results.filter((result) => result !== undefined);
    return JSON.parse(await values.reveal(JSON.stringify({ results: known, of }), true));
  };
}

/** A comparison that the host refuses. */
function nothing(error: unknown): null {
  if ((error as Partial<ToolwrightError>).code === 'PII_DENIED') return null;
  throw error;
}

function listOf(name: string, values: unknown): unknown[] {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  if (list.length <= MAX_PLACEHOLDERS) return list;
  const message = `${name} takes at most ${MAX_PLACEHOLDERS} values at once, got ${list.length}.`;
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** A tool, or a skill, as a program reads it. The guest makes one text with fields of it. */
export interface ToolDetails {
  /** The declaration with its documentation, or the text of the skill. */
  readonly text: string;
  /** The id of the tool. */
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
}

export interface ToolDetailsOptions {
  readonly catalog: UserCatalog;
  readonly skills: SkillOperations;
  readonly language: LanguageName;
}

/** Returns a tool, in its category if there is one, a skill, a server, or a part of a long definition. Raises `UNKNOWN_TOOL`, `UNKNOWN_SERVER`. */
export async function toolDetails(
  name: string,
  category: string | undefined,
  { catalog, skills, language }: ToolDetailsOptions,
): Promise<ToolDetails> {
  try {
    const { text, ...found } = await catalog.details(name, language, category);
    if ('tool' in found) return ofTool(text, found.tool);
    // A skill may have the name of a server.
    const { name: server, connector } = found.server;
    return await skills.details(name).catch(() => ({ text, name, server, description: connector.description ?? '' }));
  } catch (error) {
    if (category !== undefined && category !== SKILLS_CATEGORY) throw error;
    return skills.details(name).catch(() => {
      throw error;
    });
  }
}

function ofTool(text: string, tool: Tool): ToolDetails {
  const { id: name, server, definition } = tool;
  const { title = '', description = title, inputSchema, outputSchema, annotations } = definition;
  const accepted = annotations && acceptedAnnotations(tool);
  return { text, name, server, description, inputSchema, outputSchema, annotations: accepted };
}
