import type { LanguageName } from '@toolwright/sandbox';
import type { OpenPackages, PackageLock, PackageModules, PackageTypes } from '@toolwright/sandbox/packages';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { PackagesConfig } from './configured.ts';

/** A package that programs can import. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** The packages that programs of a Toolwright can import. */
export interface Packages {
  /** Hash of the lock, which executions record; undefined without packages. */
  readonly hash: string | undefined;
  /** Folder of the Python packages, for the jail. */
  readonly python: string | undefined;
  /** Returns the source of a module of a package; undefined if no package has it. */
  readonly module: PackageModules;
  /** Returns the declarations of a module of a package, by path; undefined if it has none. */
  readonly types: PackageTypes;
  /** The requested packages of a language, in alphabetical order. */
  installed(language: LanguageName): readonly InstalledPackage[];
  /** Returns sentences for an import that finds nothing: the installed packages, and the command that adds a package. Empty without packages. */
  advice(language: LanguageName, name: string, sandbox?: string): string;
  /** The reason for which configured packages are not available; undefined if they are. */
  readonly problem: string | undefined;
}

/** A lock with its layers, or the reason why there is none. */
interface Opened {
  readonly lock?: PackageLock;
  readonly hash?: string | undefined;
  readonly layers?: OpenPackages;
  readonly nameOf?: (language: LanguageName, request: string) => string;
  readonly problem?: string;
}

const MAX_NAMED = 15;
/** Packages without code, for the check of programs. */
const TYPES_ONLY = '@types/';

/** Opens the packages of a configuration. Packages that are not locked or built are no error: programs without them work. */
export async function openConfiguredPackages(config: PackagesConfig, log: Pick<Logger, 'warn'>): Promise<Packages> {
  const opened = await openLayers(config);
  if (opened.problem !== undefined) log.warn({}, opened.problem);
  return packagesOf(opened);
}

async function openLayers(config: PackagesConfig): Promise<Opened> {
  const { python, typescript, presets } = config.packages;
  if (python.length + typescript.length + presets.length === 0) return {};
  const [library, configured, files] = await Promise.all([
    import('@toolwright/sandbox/packages'),
    import('./configured.ts'),
    import('./lock-file.ts'),
  ]);
  const lock = await files.readLock(files.lockFileOf(config.file));
  const problem = configured.lockProblem(config, lock);
  if (problem !== undefined) return { problem };
  try {
    const layers = await library.openPackages(lock, configured.packagesFolder(config));
    const nameOf = (language: LanguageName, request: string) => library.readRequest(language, request).name;
    return { lock, hash: library.lockHash(lock), layers, nameOf };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Returns the packages of a Toolwright without a configuration: none. */
export function noPackages(): Packages {
  return packagesOf({});
}

function packagesOf({ lock, hash, layers = {}, nameOf, problem }: Opened): Packages {
  const installed = (language: LanguageName): readonly InstalledPackage[] => {
    const { requested = [], packages = [] } = lock?.[language] ?? {};
    const names = new Set(requested.map((text) => nameOf?.(language, text)));
    const own = packages.filter(
      ({ name, location }) =>
        names.has(name) && !name.startsWith(TYPES_ONLY) && [undefined, `node_modules/${name}`].includes(location),
    );
    return own.map(({ name, version }) => ({ name, version }));
  };
  return {
    hash,
    python: layers.python,
    module: async (specifier) => layers.typescript?.(specifier),
    types: async (specifier) => layers.types?.(specifier),
    installed,
    advice(language, name, sandbox) {
      if (problem !== undefined) return ` ${problem}`;
      if (lock === undefined) return '';
      const names = installed(language).map((each) => each.name);
      const listed = `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`;
      const able = lock[language]?.sandboxes ?? [];
      if (names.length > 0 && sandbox !== undefined && !able.includes(sandbox)) {
        return ` Packages (${listed}) exist in the sandbox ${able.join(', ')} only. This program runs in ${sandbox}.`;
      }
      const known = names.length === 0 ? `There are no packages for ${language}.` : `Installed packages: ${listed}.`;
      return ` ${known} To add one, the user runs: toolwright packages add ${name} --language ${language}`;
    },
    problem,
  };
}
