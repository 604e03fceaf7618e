import { ToolwrightError } from '../../errors.ts';
import { guestPath, isMissing, parseGuestPath, unlessMissing } from '../../workspaces/paths.ts';
import { insteadOf, NODE_MODULES } from './absent-modules.ts';
import { createPythonModuleLoader, type ModuleLoaderOptions } from './python.ts';

/** A server's module, imported by a relative path from a module in a subfolder. */
const NESTED_SERVER_MODULE = /^\/(?:workspace|skills)\/.*?\/servers\/([^/]+?)(?:\/index)?(?:\.[jt]s)?$/;
const SERVER_MODULE = /^\/servers\/([^/]+?)(?:\/index)?(?:\.[jt]s)?$/;

/** Returns the source of a module that a guest imports, by its path. Raises `UNKNOWN_MODULE`. */
export type ModuleLoader = (path: string) => Promise<string>;

/** Creates the loader of a language's modules: generated modules of servers, workspace files and skills. */
export function createModuleLoader(options: ModuleLoaderOptions): ModuleLoader {
  const create = options.language.guest === 'python' ? createPythonModuleLoader : createJavascriptModuleLoader;
  return create(options);
}

function createJavascriptModuleLoader({
  catalog,
  files,
  language,
  advice,
  maxBytes,
}: ModuleLoaderOptions): ModuleLoader {
  const loadFile = async (path: string): Promise<string> => {
    const source = await files.read(path, maxBytes);
    return language.prepareModule(source.toString('utf8'), path);
  };
  // In TypeScript, an import of `./lib.js` refers to `lib.ts`.
  const loadFileOrTypescript = (file: string): Promise<string> =>
    loadFile(file).catch((error: unknown) => {
      if (!file.endsWith('.js') || !isMissing(error)) throw error;
      return loadFile(file.replace(/\.js$/, '.ts')).catch((inner: unknown) => {
        throw isMissing(inner) ? error : inner;
      });
    });
  return async (path) => {
    const server = SERVER_MODULE.exec(path)?.[1];
    if (server !== undefined) return catalog.module(server);
    const parts = path.startsWith('/') ? parseGuestPath(path) : [];
    const isTool = parts[0] === 'servers' && parts.length === 3;
    const tool = isTool ? await loadFile(toolFile(guestPath(parts))).catch(unlessMissing) : undefined;
    if (tool !== undefined) return tool;
    if (parts[0] === 'workspace' || parts[0] === 'skills') {
      return loadFileOrTypescript(guestPath(parts)).catch((error: unknown) => {
        const nested = isMissing(error) ? NESTED_SERVER_MODULE.exec(path)?.[1] : undefined;
        if (nested === undefined) throw error;
        return catalog.module(nested);
      });
    }
    // The program's own path is the root, while relative paths of `fs` start in the workspace.
    const own =
      parts.length > 0 ? await loadFileOrTypescript(`/workspace${guestPath(parts)}`).catch(unlessMissing) : undefined;
    if (own !== undefined) return own;
    const names = catalog.servers().map(({ slug }) => slug);
    const instead = insteadOf(path);
    if (instead !== undefined) throw new ToolwrightError('UNKNOWN_MODULE', `Cannot import "${path}". ${instead}`);
    const message = `Cannot import "${path}". A program can import ./servers/<server>/index.js, files of /workspace and /skills, node:fs/promises, and of Node: ${NODE_MODULES}. Servers: ${names.slice(0, 20).join(', ') || 'none'}${names.length > 20 ? ', …' : ''}.${path.startsWith('/') ? '' : advice(path)}`;
    throw new ToolwrightError('UNKNOWN_MODULE', message);
  };
}

/** Returns the file of a tool, which a program may import as `.ts`, `.js`, or without an extension. */
function toolFile(path: string): string {
  return `${path.replace(/\.[jt]s$/, '')}.ts`;
}
