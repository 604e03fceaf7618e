import type { Toolwright } from './api.ts';
import type { Catalog } from './catalog/catalog.ts';
import { serverFiles } from './catalog/server-files.ts';
import { ToolwrightError } from './errors.ts';
import type { ExecutionContexts } from './execution/contexts.ts';
import type { Packages } from './execution/packages/packages.ts';
import { packagesNote } from './execution/packages/search-note.ts';
import { checkOptionNames } from './option-names.ts';
import { DEFAULT_USER } from './owner-name.ts';
import { checkPolicy } from './settings.ts';
import { searchableSkillsOf } from './skills/guest-operations.ts';
import type { StoredSkills } from './skills/library.ts';
import { createPolicy, type Policy } from './tool-calls/policy/create-policy.ts';

export interface ToolLookupOptions {
  readonly catalog: Catalog;
  /** Returns the skills of a user. */
  readonly skills: (userId: string) => StoredSkills;
  readonly contexts: Pick<ExecutionContexts, 'languageOf'>;
  readonly policy: Policy;
  readonly packages: Pick<Packages, 'installed'>;
}

/** Creates the methods of a Toolwright that find and describe tools. */
export function createToolLookup({
  catalog,
  skills,
  contexts,
  policy,
  packages,
}: ToolLookupOptions): Pick<Toolwright, 'search' | 'describe' | 'explain' | 'tools' | 'serverFiles' | 'servers'> {
  return {
    async search(query, options = {}) {
      checkOptionNames('search', options);
      const { userId = DEFAULT_USER, ...settings } = options;
      const queries = queriesOf(query);
      const searchableSkills = searchableSkillsOf(await skills(userId).list(), settings.language ?? 'typescript');
      const extraNote = packagesNote(queries, packages);
      return catalog.forUser(userId).search(queries, { ...settings, searchableSkills, extraNote });
    },
    describe: (tool, detail = 'docs', { language, userId = DEFAULT_USER, category } = {}) =>
      catalog.forUser(userId).describe(tool, detail, language, category),
    async explain(id, options = {}) {
      checkOptionNames('explain', options);
      const { userId = DEFAULT_USER, sessionId, arguments: args, policy: tested } = options;
      const tool = await catalog.tool(id);
      const rules = tested === undefined ? policy : createPolicy(checkPolicy(tested, 'explain'));
      return rules.explain({ tool, userId, sessionId, ...(args === undefined ? {} : { arguments: args }) });
    },
    tools: ({ waitMs } = {}) => catalog.list('', waitMs),
    serverFiles: (language = 'typescript', userId = DEFAULT_USER) =>
      serverFiles(catalog.forUser(userId), contexts.languageOf(language).name),
    async servers({ load = false, waitMs } = {}) {
      if (load) await catalog.load(waitMs === undefined ? {} : { waitMs });
      return catalog.servers();
    },
  };
}

function queriesOf(query: unknown): readonly string[] {
  const queries = typeof query === 'string' ? [query] : query;
  if (Array.isArray(queries) && queries.every((text) => typeof text === 'string')) return queries;
  throw new ToolwrightError('CONFIG_INVALID', 'search takes a text, or a list of texts.');
}
