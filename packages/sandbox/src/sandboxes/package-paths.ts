import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';

const flagsOf = new Map<string, readonly string[]>();

/** Returns flags that let a Node process read its entry file and these packages, and nothing else. */
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
 * Returns the paths that Node must be able to read to run `entry` with these packages, in the form of `--allow-fs-read`.
 * Package folders may be symbolic links (pnpm, workspaces, `npm link`). Node reads the links themselves when it resolves an
 * import, so the paths include links and targets.
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
  // A path below another one is redundant, and makes Node 20 ignore the upper one.
  const all = [...paths];
  return all.filter((path) => !all.some((upper) => path.startsWith(`${upper}${sep}`)));
}

function findPackage(name: string, from: string): string {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`the package ${name} is not installed`);
  return found;
}

/** Returns every symbolic link on a path, and on the paths of the targets. */
function linksIn(path: string): string[] {
  const parts = path.split(sep);
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join(sep));
  const link = prefixes.find((prefix) => prefix !== '' && lstatSync(prefix).isSymbolicLink());
  if (link === undefined) return [];
  return [link, ...linksIn(join(resolve(dirname(link), readlinkSync(link)), path.slice(link.length)))];
}
