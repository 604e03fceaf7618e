import { unmatchedGlob } from '../../catalog/names/unmatched-glob.ts';
import { PRIVATE } from '../../config/policy/origins/readers.ts';
import type { PolicyConfig } from '../../config/policy/schema.ts';
import { ToolwrightError } from '../../errors.ts';

/**
 * Raises `CONFIG_INVALID` if a glob of the policy names a server that does not exist: with a typo, a rule that denies would
 * match nothing. `servers` has all configured servers, also disabled ones.
 */
export function checkPolicyServers({ rules, tools, readers = [] }: PolicyConfig, servers: readonly string[]): void {
  for (const [key, list] of Object.entries({ rules, tools, readers })) {
    for (const [index, { servers: own = [], tools: ids = [] }] of list.entries()) {
      const where = `policy.${key}[${index}]`;
      for (const [kind, globs] of Object.entries({ servers: own, tools: ids })) {
        for (const glob of [globs].flat()) {
          const problem = unmatchedGlob(kind as 'servers' | 'tools', glob, servers);
          if (problem !== undefined) throw new ToolwrightError('CONFIG_INVALID', `${where}.${kind}: ${problem}`);
        }
      }
    }
  }
  for (const [index, { carries = [] }] of rules.entries()) {
    for (const name of carries) {
      const problem = unmatchedGlob('servers', name, servers);
      if (name === PRIVATE || problem === undefined || unmatchedGlob('tools', name, servers) === undefined) continue;
      throw new ToolwrightError('CONFIG_INVALID', `policy.rules[${index}].carries: ${problem}`);
    }
  }
}
