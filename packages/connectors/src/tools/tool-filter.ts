import type { ToolFilter } from '../servers/server-config.ts';

/** Returns whether the configuration includes a tool. `*` in a pattern matches any characters. */
export function isAllowed(tool: string, filter: ToolFilter = {}): boolean {
  const matches = (pattern: string): boolean => globPattern(pattern).test(tool);
  if (filter.deny?.some(matches)) return false;
  return filter.allow === undefined || filter.allow.some(matches);
}

function globPattern(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
