import type { Tool, ToolLanguage } from '@toolwright/connectors';
import { ToolwrightError } from '../errors.ts';
import type { FileEntry, Files } from '../workspaces/files.ts';
import { fileEntry, folderEntry, readOnly } from '../workspaces/mounts.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import { pythonPackage } from './signatures/python/modules.ts';
import { toolFiles, toolModule } from './signatures/typescript/tool-modules.ts';
import type { UserCatalog } from './user-catalog.ts';

const INDEX_FILES = ['index.js', 'index.d.ts'];
const PYTHON_FILE = /^(.+)\.(py|pyi)$/;

/**
 * Provides `/servers` as read-only files, which are generated when they are read. They are the modules that programs import,
 * their declarations, and for TypeScript one file per tool. A listing shows the files of one language; all can be read.
 */
export function serverFiles(catalog: UserCatalog, language: ToolLanguage): Files {
  return readOnly(
    {
      read: async (path, maxBytes) => {
        const data = Buffer.from(await readServerFile(catalog, parseGuestPath(path)));
        if (data.length <= maxBytes) return data;
        throw fileError('EFBIG', `${path} has ${data.length} bytes; the limit for one read is ${maxBytes}.`);
      },
      list: (path, recursive) => listServers(catalog, parseGuestPath(path), language, recursive),
      async stat(path) {
        const parts = parseGuestPath(path);
        const name = parts.at(-1) ?? '';
        if (parts.length < 3 && !PYTHON_FILE.test(parts[1] ?? '')) {
          return listServers(catalog, parts, language, false).then(() => folderEntry(name));
        }
        return fileEntry(name, Buffer.byteLength(await readServerFile(catalog, parts)));
      },
    },
    'Toolwright generates it from the servers.',
  );
}

async function listServers(
  catalog: UserCatalog,
  parts: readonly string[],
  language: ToolLanguage,
  recursive: boolean,
): Promise<FileEntry[]> {
  const [, server = ''] = parts;
  if (parts.length === 1 && language === 'python') {
    const modules = catalog.servers().flatMap(({ pythonModule: name }) => [`${name}.py`, `${name}.pyi`]);
    return ['__init__.py', ...modules].map((name) => fileEntry(name));
  }
  if (parts.length === 1) {
    const folders = catalog.servers().map(({ slug }) => slug);
    if (!recursive) return folders.map(folderEntry);
    const listed = await Promise.all(folders.map((slug) => listServerOrNothing(catalog, slug)));
    return folders.flatMap((slug, index) => [
      folderEntry(slug),
      ...(listed[index] ?? []).map((name) => fileEntry(`${slug}/${name}`)),
    ]);
  }
  if (parts.length > 2 || PYTHON_FILE.test(server)) throw fileError('ENOTDIR', `${guestPath(parts)} is not a folder.`);
  return (await listServer(catalog, server)).map((name) => fileEntry(name));
}

async function listServer(catalog: UserCatalog, server: string): Promise<string[]> {
  const { tools } = await toolsOf(catalog, server);
  return [...toolFiles(tools).keys(), ...INDEX_FILES].sort();
}

/** In a recursive listing, an unavailable server is an empty folder. */
function listServerOrNothing(catalog: UserCatalog, server: string): Promise<string[]> {
  return listServer(catalog, server).catch(() => []);
}

async function readServerFile(catalog: UserCatalog, parts: readonly string[]): Promise<string> {
  const [, server = '', file = ''] = parts;
  const [, module, extension] = PYTHON_FILE.exec(server) ?? [];
  if (parts.length === 2 && module !== undefined) return readPythonFile(catalog, module, extension === 'pyi');
  if (parts.length === 3) {
    const { tools } = await toolsOf(catalog, server);
    if (file === 'index.js') return catalog.module(server);
    if (file === 'index.d.ts') return catalog.declarations(server);
    const tool = toolFiles(tools).get(file);
    if (tool) return toolModule(catalog.withObserved(tool), tools);
  }
  const known = `The folder of a server contains index.js, index.d.ts and <tool>.ts. For Python there are <server>.py and <server>.pyi.`;
  throw fileError('ENOENT', `${guestPath(parts)} does not exist. ${known}`);
}

async function toolsOf(catalog: UserCatalog, server: string): Promise<{ readonly tools: readonly Tool[] }> {
  try {
    return await catalog.toolsOf(server);
  } catch (error) {
    throw missing(error, `/servers/${server}`);
  }
}

async function readPythonFile(catalog: UserCatalog, module: string, isStub: boolean): Promise<string> {
  if (module === '__init__') return pythonPackage(catalog.servers().map(({ pythonModule }) => pythonModule));
  try {
    return await (isStub ? catalog.declarations(module, 'python') : catalog.module(module, 'python'));
  } catch (error) {
    throw missing(error, `/servers/${module}.${isStub ? 'pyi' : 'py'}`);
  }
}

/** Converts the error of an unknown server to the error of a missing file. */
function missing(error: unknown, path: string): unknown {
  if (!(error instanceof ToolwrightError) || error.code !== 'UNKNOWN_SERVER') return error;
  return fileError('ENOENT', `${path} does not exist. ${error.message}`);
}
