import { exportNames, type Naming } from '../../catalog/names/exports.ts';
import { suggest } from '../../catalog/names/suggest.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';

/** Suggests exports of a server's module for a missing name; undefined for a name that it exports. */
export async function suggestExport(
  name: string,
  server: string,
  catalog: UserCatalog,
  naming: Naming,
): Promise<string | undefined> {
  const { tools } = await catalog.toolsOf(server);
  const exports = exportNames(
    tools.map(({ definition }) => definition.name),
    naming,
  );
  if (exports.has(name)) return undefined;
  return didYouMean(suggest(name, exports.keys())) ?? `It exports: ${[...exports.keys()].slice(0, 15).join(', ')}.`;
}

/** A file or a program that the sandbox does not have. */
export const NO_FILE: RegExp = /^(?:ENOENT: (?:cannot open|No such file)|EACCES: \S+ is outside of )/;
export const OWN_FILES =
  'The sandbox has files of its own, in /workspace, and no programs. For files of this machine, call a tool of a server.';

/** Returns the question "Did you mean …?"; undefined without candidates. */
export function didYouMean(candidates: readonly string[]): string | undefined {
  return candidates.length > 0 ? `Did you mean ${candidates.join(' or ')}?` : undefined;
}
