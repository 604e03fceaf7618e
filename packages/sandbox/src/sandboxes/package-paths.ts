import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';

const flagsOf = new Map<string, readonly string[]>();

/** Flags that let a Node process read its entry file and these packages, and nothing else; see `packagePaths`. */
export function nodePermissionFlags(
  entry: string,
  packages: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const known = flagsOf.get(entry);
  if (known) return known;
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const flags = [permission, ...packagePaths(entry, packages).map((path) => `--allow-fs-read=${path}`)];
  flagsOf.set(entry, flags);
  return flags;
}

/**
 * The paths that Node must be allowed to read so that `entry` can run and import these packages, in the form of
 * `--allow-fs-read`. Package folders may be symbolic links (pnpm, workspaces, `npm link`): Node looks at the links
 * themselves when it resolves an import, so they are named beside what they lead to.
 */
export function packagePaths(entry: string, packages: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const file = realpathSync(entry);
  const paths = new Set([join(dirname(file), '*')]);
  const add = (name: string, from: string): string => {
    const found = findPackage(name, from);
    const real = realpathSync(found);
    for (const link of linksIn(found)) paths.add(link);
    paths.add(join(real, '*'));
    return real;
  };
  for (const [name, imports] of Object.entries(packages)) {
    const folder = add(name, file);
    for (const imported of imports) add(imported, join(folder, 'package.json'));
  }
  // A path below another one is covered by it, and would confuse Node 20, which then forgets the upper one.
  const all = [...paths];
  return all.filter((path) => !all.some((upper) => path.startsWith(`${upper}${sep}`)));
}

function findPackage(name: string, from: string): string {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`the package ${name} is not installed`);
  return found;
}

/** Every link that lies on a path, and on the paths that those lead to. */
function linksIn(path: string): string[] {
  const parts = path.split(sep);
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join(sep));
  const link = prefixes.find((prefix) => prefix !== '' && lstatSync(prefix).isSymbolicLink());
  if (link === undefined) return [];
  return [link, ...linksIn(join(resolve(dirname(link), readlinkSync(link)), path.slice(link.length)))];
}
