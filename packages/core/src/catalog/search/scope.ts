import type { ToolLanguage } from '@toolwright/connectors';
import { isSkillsCategory, SKILLS_CATEGORY, serversOfCategory } from '../categories.ts';
import type { ServerState } from '../server-state.ts';
import type { Servers } from '../servers.ts';

/** The part of a catalog that a search reads. */
export interface SearchScope {
  readonly servers: readonly ServerState[];
  /** The names of the servers in the index; undefined for all. Skills are there as a server of their own. */
  readonly only?: ReadonlySet<string>;
  readonly hasSkills: boolean;
}

/** Returns the scope of a search: a server, the servers of a category, or all. Raises `UNKNOWN_SERVER`. */
export function searchScope(
  { server, category }: { readonly server?: string | undefined; readonly category?: string | undefined },
  servers: Servers,
  language: ToolLanguage,
): SearchScope {
  const named = server === undefined ? undefined : servers.find(server, language);
  const inside = category === undefined ? undefined : serversOfCategory(category, servers);
  if (!named && !inside) return { servers: servers.all, hasSkills: true };
  const found = (inside ?? servers.all).filter((candidate) => !named || candidate === named);
  const hasSkills = !named && inside !== undefined && isSkillsCategory(category, inside);
  return { servers: found, only: new Set(hasSkills ? [SKILLS_CATEGORY] : found.map(({ name }) => name)), hasSkills };
}
