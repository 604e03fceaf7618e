import { shorten } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../errors.ts';
import { suggest } from './names/suggest.ts';
import type { ServerState } from './server-state.ts';
import type { Servers } from './servers.ts';

/** The category of the user's skills. */
export const SKILLS_CATEGORY = 'skills';
const MAX_NAMED = 20;

/**
 * Returns the servers of a category: the server with this name. Without one, the servers with the words in their names, such as `shop`
 * for `shop-orders`. Without these, the servers with the words in their descriptions. Raises `UNKNOWN_SERVER`.
 */
export function serversOfCategory(category: string, servers: Servers): readonly ServerState[] {
  const wanted = wordsOf(category);
  const hasAll = (text: string) => {
    const words = wordsOf(text);
    return wanted.length > 0 && wanted.every((word) => words.includes(word));
  };
  const stages = [
    ({ name, slug }: ServerState) => isSame(name, category) || isSame(slug, category),
    ({ name }: ServerState) => hasAll(name),
    ({ connector }: ServerState) => hasAll(connector.description ?? ''),
  ];
  for (const isInside of stages) {
    const found = servers.all.filter(isInside);
    if (found.length > 0) return found;
  }
  if (isSame(category, SKILLS_CATEGORY)) return [];
  throw unknownCategory(category, servers);
}

/** Returns whether a category is that of the skills, and of no server. */
export function isSkillsCategory(category: string | undefined, found: readonly ServerState[]): boolean {
  return category !== undefined && isSame(category, SKILLS_CATEGORY) && found.length === 0;
}

function unknownCategory(category: string, { all }: Servers): ToolwrightError {
  const names = all.map(({ name }) => name);
  const suggestions = suggest(category, names, 3);
  const ends = names.length > MAX_NAMED ? ', …' : '';
  const message = `There is no category "${shorten(category, 30)}". A category is a server, a word of its name or description, or skills. The servers are: ${names.slice(0, MAX_NAMED).join(', ') || 'none'}${ends}.`;
  return new ToolwrightError('UNKNOWN_SERVER', message, { details: { suggestions } });
}

function isSame(one: string, other: string): boolean {
  return wordsOf(one).join('-') === wordsOf(other).join('-');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
