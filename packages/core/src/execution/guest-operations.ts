import { cutOutsideValues, type ProgramValues, type Redactor } from '@toolwright/pii/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { type Operation, requireText } from '@toolwright/sandbox/internal';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import { ToolwrightError } from '../errors.ts';
import type { SkillOperations } from '../skills/guest-operations.ts';
import type { ExecutionPart } from './result.ts';

/** A module whose text has names of tools and parameters, which a server chose. */
const SERVER_MODULE = /\/servers\/[^/]/;
/** Maximum queries of one search. */
const MAX_QUERIES = 20;
/** Maximum placeholders of one derivation or comparison. */
const MAX_PLACEHOLDERS = 10_000;

export interface LookupOptions {
  readonly catalog: UserCatalog;
  readonly skills: SkillOperations;
  readonly redactor: Redactor;
  /** The values that the program may see. */
  readonly values: ProgramValues;
  readonly language: LanguageName;
  readonly loadModule: (path: string) => Promise<string>;
  /** Returns the value or the log lines of another execution of the user. */
  readonly executionValue: (id: string, part: ExecutionPart) => Promise<unknown>;
}

/** Returns the look-up operations of a guest: tools, skills, modules, facts about placeholders, and other executions. */
export function lookupOperations(options: LookupOptions): Readonly<Record<string, Operation>> {
  const { catalog, skills, redactor, values, language, loadModule, executionValue } = options;
  return {
    list: async (filter) => {
      const tools = await catalog.list(typeof filter === 'string' ? filter : undefined);
      const list = tools.map(({ id, server, definition }) => ({
        name: id,
        server,
        description: firstLine(definition.description ?? definition.title ?? ''),
      }));
      return redactor.redact(list);
    },
    details: async (wanted) => {
      const name = requireText(wanted, 'get_mcp_tool_details takes the name of a tool');
      const text = catalog.describe(name, 'docs', language).catch((error: unknown) =>
        skills.text(name).catch(() => {
          throw error;
        }),
      );
      return redactor.redact(await text);
    },
    skill: (name) => skills.entry(requireText(name, 'run_skill takes the name of a skill')),
    skillText: async (name) =>
      redactor.redact(await skills.text(requireText(name, 'load_skill takes the name of a skill'))),
    search: async (query, settings) => {
      const queries = queriesOf(query);
      const searchableSkills = await skills.searchableSkills();
      const redactedQueries = await redactor.redactKnown(queries);
      const options = { ...searchSettings(settings), language, searchableSkills, redactedQueries };
      const { hits } = await catalog.search(queries, options);
      return redactor.redact(
        hits.map(({ id, server, signature, description }) => ({ name: id, server, signature, description })),
      );
    },
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
    async execution(id, part = 'value') {
      if (part !== 'value' && part !== 'logs') {
        throw new ToolwrightError('INVALID_ARGUMENTS', 'execution(id, part) takes "logs" as its part, or none.');
      }
      const value = await executionValue(requireText(id, 'execution takes the id of an execution'), part);
      if (value === undefined) return value;
      // A stored value is as its program returned it, which may see values that this one may not.
      return JSON.parse(await values.reveal(JSON.stringify(await redactor.redact(value))));
    },
    async module(wanted) {
      const path = requireText(wanted, 'a module has a path');
      const source = await loadModule(path);
      return SERVER_MODULE.test(path) ? redactor.redact(source) : source;
    },
  };
}

function listOf(name: string, values: unknown): unknown[] {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  if (list.length <= MAX_PLACEHOLDERS) return list;
  const message = `${name} takes at most ${MAX_PLACEHOLDERS} values at once, got ${list.length}.`;
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}

function queriesOf(query: unknown): string[] {
  if (Array.isArray(query) && query.length > MAX_QUERIES) {
    throw new ToolwrightError('INVALID_ARGUMENTS', `search_tools takes at most ${MAX_QUERIES} queries at once.`);
  }
  return (Array.isArray(query) ? query : [query]).map((text) =>
    requireText(text, 'search_tools takes a text or a list of texts'),
  );
}

function searchSettings(value: unknown): { server?: string; limit?: number } {
  if (typeof value !== 'object' || value === null) return {};
  const { server, limit } = value as { server?: unknown; limit?: unknown };
  return { ...(typeof server === 'string' ? { server } : {}), ...(typeof limit === 'number' ? { limit } : {}) };
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.slice(0, cutOutsideValues(line, 200));
}
