import { toolId } from '@toolwright/connectors';
import { mayMatch, mayStart } from '../../glob.ts';
import { suggest } from './suggest.ts';

/**
 * Returns the problem of a glob of servers, or of ids of tools, that matches none of these servers: it may have a typo. Returns undefined
 * for any other glob.
 */
export function unmatchedGlob(kind: 'servers' | 'tools', glob: string, servers: readonly string[]): string | undefined {
  const matches = (name: string) => (kind === 'servers' ? mayMatch(glob, name) : mayStart(glob, toolId(name, '')));
  if (servers.some(matches)) return undefined;
  const [near] = suggest(glob.split('__', 1)[0] ?? '', servers, 1);
  const hint = near === undefined ? `Servers: ${servers.join(', ') || 'none'}.` : `Did you mean the server "${near}"?`;
  return `"${glob}" matches no server. ${hint}`;
}
