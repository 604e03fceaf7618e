import type { ToolFilter } from '../server-config.ts';

/** Tells whether the configuration lets a tool exist for us. `*` in a pattern stands for any run of characters. */
export function isAllowed(tool: string, filter: ToolFilter = {}): boolean {
  const matches = (pattern: string): boolean => globPattern(pattern).test(tool);
  if (filter.deny?.some(matches)) return false;
  return filter.allow === undefined || filter.allow.some(matches);
}

function globPattern(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
