import { setImmediate as nextTurn } from 'node:timers/promises';
import { cutOutsideValues, type ProgramValues, type Redactor } from '@toolwright/pii/internal';
import type { LanguageName } from '@toolwright/sandbox';
import type { Operation } from '@toolwright/sandbox/internal';
import { type DetailLevel, readDetailLevel } from '../../catalog/search/answer/detail-level.ts';
import type { SearchHit } from '../../catalog/search/answer/hit.ts';
import type { SearchOptions } from '../../catalog/search/search-tools.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionPart } from '../../history/result.ts';
import type { SkillOperations } from '../../skills/guest-operations.ts';
import { isLong, limitName } from '../../tool-calls/limit.ts';
import type { Media } from '../media/media.ts';
import { toolDetails } from './tool-details.ts';
import { valueOperations } from './value-operations.ts';

/** A module whose text has names of tools and parameters, which a server chose. */
const SERVER_MODULE = /\/servers\/[^/]/;
/** Maximum queries of one search. */
const MAX_QUERIES = 20;

export interface LookupOptions {
  readonly catalog: UserCatalog;
  readonly skills: SkillOperations;
  readonly redactor: Redactor;
  /** The values that the program may see. */
  readonly values: ProgramValues;
  readonly language: LanguageName;
  readonly loadModule: (path: string) => Promise<string>;
  readonly media: Pick<Media, 'show'>;
  /** Returns the value or the log lines of another execution of the user. */
  readonly executionValue: (id: string, part: ExecutionPart) => Promise<unknown>;
}

/**
 * Returns the look-up operations of a guest: tools, skills, modules, facts about placeholders, and other executions. The bridge has checked the
 * types of their parameters (`OPERATIONS`).
 */
export function lookupOperations(options: LookupOptions): Readonly<Record<string, Operation>> {
  const { catalog, skills, redactor, values, language, loadModule, media, executionValue } = options;
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

type SearchSettings = Pick<SearchOptions, 'server' | 'category' | 'detailLevel' | 'limit'>;

function searchSettings(value: unknown): SearchSettings {
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
  const inside = optionalText(category);
  return {
    server: typeof server === 'string' ? server : undefined,
    ...(inside === undefined ? {} : { category: inside }),
    ...(detailLevel === null ? {} : { detailLevel: readDetailLevel(detailLevel) }),
    limit: typeof limit === 'number' ? limit : undefined,
  };
}

/** Returns a hit as a program receives it. */
function hitOf(hit: SearchHit, level: DetailLevel = 'summary'): object {
  const { id: name, server, signature, description, definition } = hit;
  if (level === 'names') return { name, server };
  return { name, server, signature, description, ...(definition === undefined ? {} : { definition }) };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.slice(0, cutOutsideValues(line, 200));
}
