import type { Language } from '@toolwright/sandbox';
import { exportNames } from '../../catalog/names/exports.ts';
import { pythonPackage } from '../../catalog/signatures/python/modules.ts';
import { PYTHON_NAMES } from '../../catalog/signatures/python/names.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import { guestPath, parseGuestPath } from '../../workspaces/paths.ts';

const INIT = '__init__.py';
const MAX_LISTED = 20;
/** The file does not exist, a part of its path is not a folder, or it is a folder. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** The places of modules. */
export interface ModuleLoaderOptions {
  readonly catalog: UserCatalog;
  readonly files: Files;
  readonly language: Language;
  /** Returns further sentences for an import that finds nothing. */
  readonly advice: (name: string) => string;
  /** Bytes of one file. */
  readonly maxBytes: number;
}

/**
 * Creates the loader of Python modules, by file path: `/servers/<server>.py` (generated), workspace files, skills, and
 * `__init__.py` of each of their folders. It raises `UNKNOWN_MODULE` for a missing module.
 */
export function createPythonModuleLoader({
  catalog,
  files,
  language,
  advice,
  maxBytes,
}: ModuleLoaderOptions): (path: string) => Promise<string> {
  const loadFile = async (parts: readonly string[]): Promise<string> => {
    const path = guestPath(parts);
    const source = await files.read(path, maxBytes);
    return language.prepareModule(source.toString('utf8'), path);
  };
  /** A folder without `__init__.py` is a package too. */
  const loadPackage = async (parts: readonly string[]): Promise<string> => {
    const { kind } = await files.stat(guestPath(parts.slice(0, -1)));
    if (kind === 'directory') return '';
    throw unknownModule(parts, catalog, advice);
  };
  const load = (parts: readonly string[]): Promise<string> =>
    loadFile(parts).catch((error: unknown) => {
      if (!isMissing(error) || parts.at(-1) !== INIT) throw error;
      return loadPackage(parts);
    });

  return async (path) => {
    const parts = path.startsWith('/') && path.endsWith('.py') ? parseGuestPath(path) : [];
    if (parts[0] === 'servers') return loadServer(parts, catalog);
    if (parts[0] !== 'workspace' && parts[0] !== 'skills') throw unknownModule(parts, catalog, () => '', path);
    try {
      return await load(parts).catch(async (error: unknown) => {
        const renamed = isMissing(error) && parts[0] === 'skills' ? await skillPath(parts, files) : undefined;
        if (renamed === undefined) throw error;
        return load(renamed);
      });
    } catch (error) {
      throw isMissing(error) ? unknownModule(parts, catalog, advice) : error;
    }
  };
}

async function loadServer(parts: readonly string[], catalog: UserCatalog): Promise<string> {
  const [, name = '', last] = parts;
  if (parts.length === 2 && name === INIT) return pythonPackage(catalog.servers().map((server) => server.pythonModule));
  if (parts.length > 3 || (last !== undefined && last !== INIT)) throw unknownModule(parts, catalog, () => '');
  try {
    return await catalog.module(name.replace(/\.py$/, ''), 'python');
  } catch (error) {
    if (!(error instanceof ToolwrightError) || error.code !== 'UNKNOWN_SERVER') throw error;
    throw new ToolwrightError('UNKNOWN_MODULE', `No module named '${moduleName(parts)}'. ${error.message}`, {
      details: error.details,
    });
  }
}

/** Returns the path of a skill whose name is not an identifier: `filter_high_risk` imports `filter-high-risk`. */
async function skillPath(parts: readonly string[], files: Files): Promise<string[] | undefined> {
  const [root = '', first = '', ...rest] = parts;
  const suffix = rest.length === 0 ? '.py' : '';
  const entries = await files.list(guestPath([root]), false);
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith(suffix));
  const bases = exportNames(
    names.map((name) => name.slice(0, name.length - suffix.length)),
    PYTHON_NAMES,
  );
  const own = bases.get(first.slice(0, first.length - suffix.length));
  return own === undefined ? undefined : [root, `${own}${suffix}`, ...rest];
}

function isMissing(error: unknown): boolean {
  return error instanceof ToolwrightError && MISSING.has(error.details.errno);
}

function unknownModule(
  parts: readonly string[],
  catalog: UserCatalog,
  advice: ModuleLoaderOptions['advice'],
  path?: string,
): ToolwrightError {
  const names = catalog.servers().map(({ pythonModule }) => pythonModule);
  const listed = `${names.slice(0, MAX_LISTED).join(', ') || 'none'}${names.length > MAX_LISTED ? ', …' : ''}`;
  const message = `No module named '${parts.length > 0 ? moduleName(parts) : path}'. A program can import the standard library, servers.<server>, .py files of /workspace, and skills.<skill>. Servers: ${listed}.${parts[0] === 'workspace' ? advice(moduleName(parts).split('.')[0] ?? '') : ''}`;
  return new ToolwrightError('UNKNOWN_MODULE', message);
}

/** Returns the Python name of a module file. */
function moduleName(parts: readonly string[]): string {
  const dotted = parts.slice(parts[0] === 'workspace' ? 1 : 0).join('.');
  return dotted.replace(/(?:^|\.)__init__\.py$|\.py$/, '') || 'workspace';
}
