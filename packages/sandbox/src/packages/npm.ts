import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LockedLanguage, LockedPackage } from './lock.ts';
import { startMirror } from './mirror.ts';
import { readRequest } from './requests.ts';
import { invalidPackages, lastWords, type PackageSources, runTool } from './run-tool.ts';

/** An entry of `packages` in a `package-lock.json`. */
interface NpmEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Work {
  readonly folder: string;
  readonly sources: PackageSources;
}

/** Sandboxes load these packages through the bridge, so all of them have them. */
const SANDBOXES = ['jail', 'quickjs', 'docker', 'microsandbox', 'kubernetes'];
const QUIET = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--omit=optional',
];
const INSIDE = 'node_modules/';

/**
 * Resolves requests with npm to archives with hashes. Runs no script. `keep` are the versions of the last lock, which stay if they
 * fit. Raises `CONFIG_INVALID` for an unknown name or version, and for a package with an install script.
 */
export async function resolveTypescript(
  requested: readonly string[],
  { folder, sources, keep }: Work & { readonly keep: readonly LockedPackage[] },
): Promise<LockedLanguage> {
  const wanted = Object.fromEntries(
    requested.map((text) => readRequest('typescript', text)).map(({ name, range }) => [name, range || '*']),
  );
  await writeManifest(folder, wanted, keep);
  try {
    await npm(['install', '--package-lock-only'], { folder, sources });
  } catch (error) {
    throw unresolved(error, sources);
  }
  const { packages }: { packages: Record<string, NpmEntry> } = JSON.parse(
    await readFile(join(folder, 'package-lock.json'), 'utf8'),
  );
  const locked = Object.entries(packages).flatMap(([location, entry]): LockedPackage[] => {
    if (location === '') return [];
    const name = location.slice(location.lastIndexOf(INSIDE) + INSIDE.length);
    const { version, integrity, license, hasInstallScript, dependencies, peerDependencies } = entry;
    if (hasInstallScript) {
      const message = `${name}@${version} has an install script, which is never run here. Choose another package.`;
      throw invalidPackages(message);
    }
    if (version === undefined || integrity === undefined)
      throw invalidPackages(`npm reports no hash for ${name}. It is refused.`);
    const needs = { ...peerDependencies, ...dependencies };
    return [
      {
        name,
        version,
        ...(license && { license: String(license) }),
        hash: integrity,
        location,
        ...(Object.keys(needs).length > 0 && { needs }),
      },
    ];
  });
  return { requested, target: 'esm', sandboxes: SANDBOXES, packages: locked };
}

/** Loads the archives of a lock into `node_modules` of a folder. Raises `CONFIG_INVALID` for an archive with another hash. */
export async function loadArchives({ requested, packages }: LockedLanguage, work: Work): Promise<void> {
  const names = requested.map((text) => readRequest('typescript', text).name);
  const versions = new Map(packages.map(({ location, version }) => [location, version]));
  const wanted = Object.fromEntries(names.map((name) => [name, versions.get(`${INSIDE}${name}`) ?? '*']));
  await writeManifest(work.folder, wanted, packages);
  try {
    await npm(['ci'], work);
  } catch (error) {
    const words = lastWords(error);
    if (/EINTEGRITY/.test(words))
      throw invalidPackages(`An archive has another hash than toolwright.lock: ${words}. Nothing was changed.`, error);
    throw invalidPackages(`The archives of the lock cannot be loaded: ${words}`, error);
  }
}

/** Writes a project whose lock has these packages, so that npm keeps their versions and checks their hashes. */
async function writeManifest(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  packages: readonly LockedPackage[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const project = { name: 'toolwright-packages', version: '0.0.0', private: true, dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  if (packages.length === 0) return;
  const entries = packages.map(({ location = '', version, hash, needs }) => [
    location,
    { version, integrity: hash, ...(needs && { dependencies: needs }) },
  ]);
  const lock = {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: { '': project, ...Object.fromEntries(entries) },
  };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

async function npm(args: readonly string[], { folder, sources: { mirror, registry } }: Work): Promise<void> {
  await using served = mirror === undefined ? undefined : await startMirror(mirror);
  const address = served?.address ?? registry;
  // An archive of the same name and version may be cached from another registry: its hash is compared all the same.
  const places =
    address === undefined ? [] : ['--registry', address, ...(served ? ['--cache', join(folder, '.npm')] : [])];
  // The npm next to this Node may not be the first one in PATH.
  const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  await runTool('npm', [...args, ...QUIET, ...places], { cwd: folder, env: { PATH } });
}

function unresolved(error: unknown, { mirror, registry }: PackageSources) {
  const output = `${(error as { stderr?: string }).stderr ?? ''}`;
  const where = mirror ?? registry ?? 'the registry of npm';
  const named = /The requested resource '([^']+)@[^'@]*' could not|'([^']+?)@[^'@]*' is not in/.exec(output);
  if (/E404/.test(output)) {
    const name = named?.[1] ?? named?.[2] ?? 'of the request';
    return invalidPackages(`There is no npm package "${name}" in ${where}. Check its name.`, error);
  }
  if (/ETARGET/.test(output)) {
    const target = /No matching version found for (\S+?)\.?(?:\s|$)/.exec(output)?.[1] ?? 'a package';
    return invalidPackages(`${where} has no version ${target}. Request another one.`, error);
  }
  const words = lastWords(error);
  if (/ERESOLVE/.test(output)) {
    return invalidPackages(`These packages exclude each other: ${words}. Request other versions.`, error);
  }
  return invalidPackages(`npm cannot resolve the packages: ${words}`, error);
}
