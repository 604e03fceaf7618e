import type { ToolLookup } from './api.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Profiles } from './catalog/profiles/profile.ts';
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
  readonly contexts: ExecutionContexts;
  readonly policy: Policy;
  readonly packages: Packages;
  readonly profiles: Profiles;
}

/** Creates the methods of a Toolwright that find and describe tools. */
export function createToolLookup({
  catalog,
  skills,
  contexts,
  policy,
  packages,
  profiles,
}: ToolLookupOptions): ToolLookup {
  return {
    async search(query, options = {}) {
      checkOptionNames('search', options);
      const { userId = DEFAULT_USER, profile, ...settings } = options;
      const queries = queriesOf(query);
      const searchableSkills = searchableSkillsOf(await skills(userId).list(), settings.language ?? 'typescript');
      const extraNote = packagesNote(queries, packages);
      return catalog
        .forProfile(profile)
        .forUser(userId)
        .search(queries, { ...settings, searchableSkills, extraNote });
    },
    describe: async (tool, detail = 'docs', { language, userId = DEFAULT_USER, category, profile } = {}) =>
      catalog.forProfile(profile).forUser(userId).describe(tool, detail, language, category),
    async explain(id, options = {}) {
      checkOptionNames('explain', options);
      const { userId = DEFAULT_USER, sessionId, arguments: args, request, policy: tested } = options;
      const { profile } = options;
      const tool = await catalog
        .forProfile(profile)
        .tool(id)
        .catch((error) =>
          catalog
            .forDirect(profile)
            .tool(id)
            .catch(() => Promise.reject(error)),
        );
      const rules = tested === undefined ? policy : createPolicy(checkPolicy(tested, 'explain'));
      return rules.explain({ tool, userId, sessionId, arguments: args, request });
    },
    tools: async ({ waitMs, profile } = {}) => catalog.forProfile(profile).list('', waitMs),
    directTools: async ({ waitMs, profile } = {}) => catalog.forDirect(profile).list('', waitMs),
    onToolsChanged: catalog.onToolsChanged,
    serverFiles: (language = 'typescript', userId = DEFAULT_USER, { profile } = {}) =>
      serverFiles(catalog.forProfile(profile).forUser(userId), contexts.languageOf(language).name),
    async servers({ load = false, waitMs, profile } = {}) {
      const known = catalog.forProfile(profile);
      if (load) await known.load({ waitMs });
      return known.servers();
    },
    profiles: () => profiles.all(),
  };
}

function queriesOf(query: unknown): readonly string[] {
  const queries = typeof query === 'string' ? [query] : query;
  if (Array.isArray(queries) && queries.every((text) => typeof text === 'string')) return queries;
  throw new ToolwrightError('CONFIG_INVALID', 'search takes a text, or a list of texts.');
}
