import { posix } from 'node:path';
import type { ProgramTypes, TypeSource } from '../checker.ts';
import { type ProgramImports, serverOf } from './imports.ts';
import { TOOL_TYPES } from './tool-types.ts';

/** The files that a program imports, and the modules that could not be read. */
export interface Reachable {
  readonly files: ReadonlyMap<string, string>;
  /** Specifiers of modules whose content is unknown, and slugs of such servers. */
  readonly open: ReadonlySet<string>;
  readonly unknownTools: ReadonlySet<string>;
}

/** Maximum number of the author's files, and of their characters: enough for any library of an agent. */
const MAX_FILES = 30;
const MAX_CHARACTERS = 1_000_000;
/** Characters of the types of packages. Values of further packages are not checked. */
const MAX_PACKAGE_CHARACTERS = 4_000_000;
/** The type of the functions of a server whose tools are unknown. */
const UNCHECKED = 'any';
const NODE_FILES = /^(?:node:)?fs(?:\/promises)?$/;

/**
 * Returns the types of everything that a program names or imports, directly or indirectly. `importsOf` reads the imports of a
 * text. Raises its errors.
 */
export async function collectTypes(
  source: string,
  types: ProgramTypes,
  importsOf: (source: string) => Promise<ProgramImports>,
): Promise<Reachable> {
  const files = new Map<string, string>();
  const open = new Set<string>();
  const servers = new Map<string, Promise<void>>();
  const followed = new Set<string>();
  let characters = 0;
  let packageCharacters = 0;

  const addServer = async (slug: string, specifier: string): Promise<void> => {
    const source = await types.server(slug);
    if (source === 'unavailable') for (const unknown of [slug, specifier]) open.add(unknown);
    else if (source !== 'missing') files.set(source.path, source.text);
  };
  /** Returns the member of the global `servers` for a server; none for a server that does not exist. */
  const addGlobal = async (name: string): Promise<string> => {
    const source = await types.server(name);
    if (source === 'missing') return '';
    const key = JSON.stringify(name);
    if (source === 'unavailable') return `${key}: ${UNCHECKED};`;
    files.set(source.path, source.text);
    return `${key}: typeof import(${JSON.stringify(source.path.replace(/\.ts$/, '.js'))});`;
  };
  const addFile = async (path: string, specifier: string, isDynamic: boolean): Promise<void> => {
    if (followed.has(path)) return;
    followed.add(path);
    const source: TypeSource = followed.size > MAX_FILES ? 'unavailable' : await types.file(path);
    if (typeof source === 'object') characters += source.text.length;
    if (typeof source === 'object' && characters <= MAX_CHARACTERS) {
      files.set(source.path, source.text);
      await follow(await importsOf(source.text), path);
    } else if (source !== 'missing' || isDynamic) open.add(specifier);
  };
  /** A package is open even with types: it may have more than they say. */
  const addPackage = async (specifier: string): Promise<void> => {
    const texts = await types.packageTypes?.(specifier);
    if (texts === undefined) return;
    open.add(specifier);
    const added = [...texts].filter(([path]) => !files.has(path));
    packageCharacters += added.reduce((total, [, text]) => total + text.length, 0);
    if (packageCharacters > MAX_PACKAGE_CHARACTERS) return;
    for (const [path, text] of added) files.set(path, text);
  };
  const follow = async (from: ProgramImports, base: string): Promise<void> => {
    await Promise.all(
      from.modules.map(async ({ specifier, isDynamic }) => {
        if (NODE_FILES.test(specifier)) return;
        const slug = serverOf(resolve(base, specifier));
        if (slug !== undefined) {
          const known = servers.get(slug) ?? addServer(slug, specifier);
          servers.set(slug, known);
          await known;
        } else if (/^\.{0,2}\//.test(specifier)) await addFile(resolve(base, specifier), specifier, isDynamic);
        else await addPackage(specifier);
      }),
    );
  };

  const named = await importsOf(source);
  const [declared, members] = await Promise.all([
    types.tools(named.toolNames),
    Promise.all(named.servers.map(addGlobal)),
    follow(named, '/program.js'),
  ]);
  const unknown = declared.unknown.map((name) => `${JSON.stringify(name)}: never;`).join(' ');
  const interfaces = `interface UnknownTools { ${unknown} }\ninterface ToolwrightServers { ${members.join(' ')} }\n`;
  files.set(TOOL_TYPES, `${declared.declarations}\n${interfaces}`);
  return { files, open, unknownTools: new Set(declared.unknown) };
}

/** Returns the path of an imported module, as the guest's loader resolves it. */
function resolve(base: string, specifier: string): string {
  return specifier.startsWith('/') ? specifier : posix.join(posix.dirname(base), specifier);
}
