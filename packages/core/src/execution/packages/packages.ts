import type { LanguageName } from '@toolwright/sandbox';
import type {
  LockedPackage,
  OpenPackages,
  PackageLock,
  PackageModules,
  PackageTypes,
} from '@toolwright/sandbox/packages';
import { messageOf } from '../../errors.ts';
import type { WarningLog } from '../../telemetry/log.ts';
import type { PackagesConfig } from './configured.ts';

/** A package that programs can import. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** The packages of programs, for their authors. */
export interface InstalledPackages {
  /** The requested packages of a language, in alphabetical order. */
  installed(language: LanguageName): readonly InstalledPackage[];
  /** The reason for which configured packages are not available; undefined if they are. */
  readonly problem: string | undefined;
}

/** The packages that programs of a Toolwright can import. */
export interface Packages extends InstalledPackages {
  /** Hash of the lock, which executions record; undefined without packages. */
  readonly hash: string | undefined;
  /** Folder of the Python packages. */
  readonly python: string | undefined;
  /** Returns the source of a module of a package; undefined if no package has it. */
  readonly module: PackageModules;
  /** Returns the declarations of a module of a package, by path; undefined if it has none. */
  readonly types: PackageTypes;
  /** Returns sentences for an import that finds nothing: the installed packages, and the command that adds a package. Empty without a configuration. */
  advice(language: LanguageName, name: string, sandbox?: string): string;
}

/** A lock with its layers, or the reason why there is none. */
interface Opened {
  /** Whether there is a configuration to which the user can add packages. */
  readonly isConfigured?: boolean;
  readonly lock?: PackageLock;
  readonly hash?: string | undefined;
  readonly layers?: OpenPackages;
  readonly nameOf?: (language: LanguageName, request: string) => string;
  readonly problem?: string;
}

const MAX_NAMED = 15;
/** Modules of Python whose packages have other names. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  fitz: 'pymupdf',
  PIL: 'pillow',
  pptx: 'python-pptx',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};
/** Packages that are of no use without a network. */
const NEEDS_NETWORK = /^(?:requests|httpx|aiohttp|urllib3|selenium|playwright)$/;
/** The end of the name of a wheel without compiled code, which Pyodide can import too. */
const PURE_WHEEL = '-none-any.whl';
/** The package of a module of npm. */
const NPM_PACKAGE = /^(?:npm:)?((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@[\w.^~-]+)?(?:\/[\w./-]*)?$/;
/** Packages without code, for the check of programs. */
const TYPES_ONLY = '@types/';

/** Opens the packages of a configuration. Packages that are not locked or built are no error: programs without them work. */
export async function openConfiguredPackages(config: PackagesConfig, log: WarningLog): Promise<Packages> {
  const opened = await openLayers(config);
  if (opened.problem !== undefined) log.warn({}, opened.problem);
  return packagesOf(opened);
}

async function openLayers(config: PackagesConfig): Promise<Opened> {
  const { python, typescript, presets } = config.packages;
  if (python.length + typescript.length + presets.length === 0) return { isConfigured: true };
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

function packagesOf({ isConfigured, lock, hash, layers = {}, nameOf, problem }: Opened): Packages {
  const requested = (language: LanguageName) => {
    const { requested: texts = [], packages = [] } = lock?.[language] ?? {};
    const names = new Set(texts.map((text) => nameOf?.(language, text)));
    return packages.filter(
      ({ name, location }) =>
        names.has(name) && !name.startsWith(TYPES_ONLY) && [undefined, `node_modules/${name}`].includes(location),
    );
  };
  return {
    hash,
    python: layers.python,
    module: async (specifier) => layers.typescript?.(specifier),
    types: async (specifier) => layers.types?.(specifier),
    installed: (language) => requested(language).map(({ name, version }) => ({ name, version })),
    advice(language, name, sandbox) {
      if (problem !== undefined) return ` ${problem}`;
      if (lock === undefined) return isConfigured ? toAdd(language, name) : '';
      const able = lock[language]?.sandboxes ?? [];
      const isHere = ({ file }: LockedPackage) =>
        sandbox === undefined || able.includes(sandbox) || (sandbox === 'pyodide' && file?.endsWith(PURE_WHEEL));
      const [here, elsewhere] = [
        requested(language).filter(isHere),
        requested(language).filter((each) => !isHere(each)),
      ];
      const where = `exist in the sandbox ${able.join(', ')} only`;
      if (here.length === 0 && elsewhere.length > 0) {
        return ` Packages (${listed(elsewhere)}) ${where}. This program runs in ${sandbox}.`;
      }
      const known =
        here.length === 0 ? `There are no packages for ${language}.` : `Installed packages: ${listed(here)}.`;
      const others = elsewhere.length === 0 ? '' : ` Others (${listed(elsewhere)}) ${where}.`;
      return ` ${known}${others}${toAdd(language, name)}`;
    },
    problem,
  };
}

function toAdd(language: LanguageName, name: string): string {
  const found = language === 'python' ? ofPython(name) : NPM_PACKAGE.exec(name)?.[1];
  return found === undefined
    ? ''
    : ` To add a package, the user runs: toolwright packages add ${found} --language ${language}`;
}

function ofPython(name: string): string | undefined {
  if (NEEDS_NETWORK.test(name)) return undefined;
  return Object.hasOwn(PACKAGE_OF, name) ? PACKAGE_OF[name] : name;
}

function listed(packages: readonly LockedPackage[]): string {
  const names = packages.slice(0, MAX_NAMED).map(({ name }) => name);
  return `${names.join(', ')}${packages.length > MAX_NAMED ? ', …' : ''}`;
}
