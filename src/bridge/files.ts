import { ToolwrightError } from '../errors.ts';
import type { Catalog } from '../tools/catalog.ts';
import { pythonPackage } from '../tools/python/modules.ts';
import type { ToolLanguage } from '../tools/tool.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import type { Workspace } from '../workspaces/workspace.ts';

const SERVER_FILES = ['index.js', 'index.d.ts'];
const PYTHON_FILE = /^(.+)\.(py|pyi)$/;

/** What the guest's `fs` asks for, by operation. Parameters are whatever the guest sent. */
export type FileOperations = Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>>;

/**
 * The guest's file system: the workspace, and `/servers` as read-only text that is made when it is asked for. A listing
 * shows the files of the program's language; those of both can be read. `maxBytes` bounds one file that is read at once.
 */
export function fileOperations(
  workspace: Workspace,
  catalog: Catalog,
  language: ToolLanguage,
  maxBytes: number,
): FileOperations {
  const read = async (path: unknown): Promise<Buffer> => {
    const parts = parseGuestPath(path);
    if (parts[0] !== 'servers') return workspace.read(guestPath(parts), maxBytes);
    return Buffer.from(await readServerFile(catalog, parts));
  };
  const write = (path: unknown, data: Buffer, mode: 'replace' | 'append') => workspace.write(normal(path), data, mode);

  return {
    'fs.readText': async (path) => (await read(path)).toString('utf8'),
    'fs.readBytes': async (path) => (await read(path)).toString('base64'),
    'fs.writeText': (path, text) => write(path, Buffer.from(String(text)), 'replace'),
    'fs.writeBytes': (path, base64) => write(path, Buffer.from(String(base64), 'base64'), 'replace'),
    'fs.appendText': (path, text) => write(path, Buffer.from(String(text)), 'append'),
    'fs.appendBytes': (path, base64) => write(path, Buffer.from(String(base64), 'base64'), 'append'),
    'fs.list': async (path, recursive) => {
      const parts = parseGuestPath(path);
      if (parts.length === 0) return ['servers', 'skills', 'workspace'].map(folder);
      if (parts[0] === 'servers') return listServers(catalog, parts, language);
      return workspace.list(guestPath(parts), recursive === true);
    },
    'fs.stat': async (path) => {
      const parts = parseGuestPath(path);
      if (parts.length === 0) return folder('/');
      if (parts[0] !== 'servers') return workspace.stat(guestPath(parts));
      if (parts.length < 3 && !PYTHON_FILE.test(parts[1] ?? '')) {
        return listServers(catalog, parts, language).then(() => folder(parts.at(-1) ?? ''));
      }
      const { length } = Buffer.from(await readServerFile(catalog, parts));
      return { name: parts.at(-1), kind: 'file', size: length, mtimeMs: 0 };
    },
    'fs.mkdir': (path, recursive) => workspace.makeFolder(normal(path), recursive === true),
    'fs.remove': (path, recursive, force) =>
      workspace.remove(normal(path), { recursive: recursive === true, force: force === true }),
    'fs.removeFolder': (path) => workspace.removeFolder(normal(path)),
    'fs.rename': (from, to) => workspace.rename(normal(from), normal(to)),
    'fs.copy': async (from, to) => write(to, await read(from), 'replace'),
  };
}

/** A guest's path in the one form that it has; refuses what is no path. */
function normal(path: unknown): string {
  return guestPath(parseGuestPath(path));
}

function folder(name: string) {
  return { name, kind: 'directory', size: 0, mtimeMs: 0 };
}

function file(name: string) {
  return { name, kind: 'file', size: 0, mtimeMs: 0 };
}

async function listServers(catalog: Catalog, parts: readonly string[], language: ToolLanguage) {
  const [, server = ''] = parts;
  if (parts.length === 1 && language === 'python') {
    return ['__init__.py', ...catalog.servers().flatMap(({ pythonModule: name }) => [`${name}.py`, `${name}.pyi`])].map(
      file,
    );
  }
  if (parts.length === 1) return catalog.servers().map(({ slug }) => folder(slug));
  if (parts.length > 2 || PYTHON_FILE.test(server)) throw fileError('ENOTDIR', `${guestPath(parts)} is not a folder.`);
  await catalog.module(server);
  return SERVER_FILES.map(file);
}

async function readServerFile(catalog: Catalog, parts: readonly string[]): Promise<string> {
  const [, server = '', file] = parts;
  const [, module, extension] = PYTHON_FILE.exec(server) ?? [];
  if (parts.length === 2 && module !== undefined) return readPythonFile(catalog, module, extension === 'pyi');
  if (parts.length === 3 && file === 'index.js') return catalog.module(server);
  if (parts.length === 3 && file === 'index.d.ts') return catalog.declarations(server);
  const known = `A server's folder holds ${SERVER_FILES.join(' and ')}; for Python there are <server>.py and <server>.pyi.`;
  throw fileError('ENOENT', `there is no ${guestPath(parts)}. ${known}`);
}

async function readPythonFile(catalog: Catalog, module: string, isStub: boolean): Promise<string> {
  if (module === '__init__') return pythonPackage(catalog.servers().map(({ pythonModule }) => pythonModule));
  try {
    return await (isStub ? catalog.declarations(module, 'python') : catalog.module(module, 'python'));
  } catch (error) {
    if (!(error instanceof ToolwrightError) || error.code !== 'UNKNOWN_SERVER') throw error;
    throw fileError('ENOENT', `there is no /servers/${module}.${isStub ? 'pyi' : 'py'}. ${error.message}`);
  }
}
