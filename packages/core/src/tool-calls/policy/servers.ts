import { suggest } from '../../catalog/names/suggest.ts';
import type { PolicyConfig } from '../../config/policy/schema.ts';
import { toolId } from '../../connectors/tool.ts';
import { ToolwrightError } from '../../errors.ts';
import { mayMatch, mayStart } from '../../glob.ts';

/**
 * Raises `CONFIG_INVALID` if a glob of the policy names a server that does not exist: with a typo, a rule that denies would
 * match nothing. `servers` has all configured servers, also disabled ones.
 */
export function checkPolicyServers({ rules, tools }: PolicyConfig, servers: readonly string[]): void {
  for (const [key, list] of Object.entries({ rules, tools })) {
    for (const [index, { servers: own = [], tools: ids = [] }] of list.entries()) {
      const where = `policy.${key}[${index}]`;
      for (const glob of [own].flat()) {
        if (!servers.some((name) => mayMatch(glob, name))) throw unknown(`${where}.servers`, glob, servers);
      }
      for (const glob of [ids].flat()) {
        const isKnown = servers.some((name) => mayStart(glob, toolId(name, '')));
        if (!isKnown) throw unknown(`${where}.tools`, glob, servers);
      }
    }
  }
}

function unknown(where: string, glob: string, servers: readonly string[]): ToolwrightError {
  const [near] = suggest(glob.split('__', 1)[0] ?? '', servers, 1);
  const hint = near === undefined ? `Servers: ${servers.join(', ') || 'none'}.` : `Did you mean the server "${near}"?`;
  return new ToolwrightError('CONFIG_INVALID', `${where}: "${glob}" matches no server. ${hint}`);
}
