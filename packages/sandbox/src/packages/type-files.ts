import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** The file of a layer with the types of its packages. */
export const TYPES_FILE = 'types.json';

/** The declarations that the modules of a layer need, as the checker sees them: below `/node_modules`. */
export interface TypeFiles {
  /** The file of each specifier that has types. */
  readonly entries: Readonly<Record<string, string>>;
  /** Texts by path: declarations, and the `package.json` of each package. */
  readonly files: Readonly<Record<string, string>>;
  /** The files that a file refers to. */
  readonly references: Readonly<Record<string, readonly string[]>>;
}

/** The fields of a `package.json` that find modules and types. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly type?: string;
  readonly main?: string;
  readonly module?: string;
  readonly types?: string;
  readonly typings?: string;
  readonly exports?: unknown;
  readonly typesVersions?: unknown;
}

const MODULES = 'node_modules/';
const DECLARATION = /\.d\.[cm]?ts$/;
const CONDITIONS = ['types', 'import', 'module', 'default', 'require'];
const REFERENCE =
  /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"']+)["']|<reference\s+(?:path|types)=["']([^"']+)["']/g;
/** Bytes of one declaration, and files of all packages: beyond them, values of a package are not checked. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_FILES = 5_000;

/** Writes the declarations of modules into a layer. `folder` has the packages in `node_modules`. A module without types gets none. */
export async function writeTypes(content: string, folder: string, specifiers: readonly string[]): Promise<void> {
  const files: Record<string, string> = {};
  const references: Record<string, string[]> = {};
  const entries: Record<string, string> = {};
  const add = (path: string): void => {
    const waiting = [path];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (files[next] !== undefined || Object.keys(files).length >= MAX_FILES) continue;
      const text = readFileSync(join(folder, next), 'utf8');
      if (Buffer.byteLength(text) > MAX_FILE_BYTES) continue;
      files[next] = text;
      const found = new Set<string>([manifestPath(next)]);
      for (const [, imported, referred] of text.matchAll(REFERENCE)) {
        const target = resolveReference(folder, next, imported ?? referred ?? '', referred !== undefined);
        if (target !== undefined) found.add(target);
      }
      references[next] = [...found];
      files[manifestPath(next)] ??= shortManifest(folder, manifestPath(next));
      waiting.push(...[...found].filter((each) => DECLARATION.test(each)));
    }
  };
  for (const specifier of specifiers) {
    const entry = typesOf(folder, '', specifier);
    if (entry === undefined) continue;
    entries[specifier] = entry;
    add(entry);
  }
  await writeFile(join(content, TYPES_FILE), JSON.stringify({ entries, files, references } satisfies TypeFiles));
}

/** Returns the texts that a specifier needs, by their paths in the checker; undefined for a module without types. */
export function textsOf(
  { entries, files, references }: TypeFiles,
  specifier: string,
): ReadonlyMap<string, string> | undefined {
  const entry = Object.hasOwn(entries, specifier) ? entries[specifier] : undefined;
  if (entry === undefined) return undefined;
  const found = new Map<string, string>();
  const waiting = [entry];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const text = files[next];
    if (text === undefined || found.has(`/${next}`)) continue;
    found.set(`/${next}`, text);
    waiting.push(...(references[next] ?? []));
  }
  return found;
}

/** Returns the declaration that a file refers to; undefined if it is not there. */
function resolveReference(folder: string, from: string, target: string, isReference: boolean): string | undefined {
  if (/^\.{0,2}\//.test(target) || (isReference && DECLARATION.test(target))) {
    return declarationOf(folder, posix.join(posix.dirname(from), target));
  }
  return typesOf(folder, from, target);
}

/** Returns the declaration of a module of a package, seen from a file: that of the package, else of `@types`. */
function typesOf(folder: string, from: string, specifier: string): string | undefined {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  const typed = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
  for (const base of basesOf(from)) {
    for (const root of [`${base}${name}`, `${base}${typed}`]) {
      if (!existsSync(join(folder, root, 'package.json'))) continue;
      const found = typesIn(folder, root, rest);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns the folders in which a file finds packages, the nearest first. */
function basesOf(from: string): string[] {
  const bases: string[] = [];
  let root = from === '' ? '' : posix.dirname(manifestPath(from));
  while (root !== '') {
    bases.push(`${root}/${MODULES}`);
    root = root.slice(0, Math.max(0, root.lastIndexOf(MODULES) - 1));
  }
  return [...bases, MODULES];
}

function typesIn(folder: string, root: string, subpath: string): string | undefined {
  const manifest = readManifest(folder, `${root}/package.json`);
  const { exports: exported, types, typings, main, module } = manifest;
  const key = subpath === '' ? '.' : `./${subpath}`;
  if (exported !== undefined) {
    const isMap =
      typeof exported === 'object' && exported !== null && Object.keys(exported).some((each) => each.startsWith('.'));
    const target = isMap ? (exported as Record<string, unknown>)[key] : key === '.' ? exported : undefined;
    return targetsOf(target)
      .map((each) => declarationOf(folder, posix.join(root, each)))
      .find((each) => each !== undefined);
  }
  const places = subpath === '' ? [types, typings, module, main, 'index'] : [subpath];
  return places
    .flatMap((each) => (each === undefined || each === '' ? [] : [declarationOf(folder, posix.join(root, each))]))
    .find((each) => each !== undefined);
}

/** Returns the targets of an export, those with types first. */
function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(targetsOf);
  if (typeof target !== 'object' || target === null) return [];
  return CONDITIONS.flatMap((condition) => targetsOf((target as Record<string, unknown>)[condition]));
}

/** Returns the declaration of a path, which may be that of a script or of a folder. */
function declarationOf(folder: string, path: string): string | undefined {
  const plain = posix.normalize(path);
  const bare = plain.replace(/\.([cm]?)js$/, '');
  const kind = /\.([cm])js$/.exec(plain)?.[1] ?? '';
  const places = DECLARATION.test(plain) ? [plain] : [`${bare}.d.${kind}ts`, `${bare}.d.ts`, `${plain}/index.d.ts`];
  return places.find((each) => each.startsWith(MODULES) && existsSync(join(folder, each)));
}

function manifestPath(file: string): string {
  const at = file.lastIndexOf(MODULES) + MODULES.length;
  const [first = '', second = ''] = file.slice(at).split('/');
  return `${file.slice(0, at)}${first.startsWith('@') ? `${first}/${second}` : first}/package.json`;
}

function shortManifest(folder: string, path: string): string {
  const { name, version, type, main, types, typings, exports: exported, typesVersions } = readManifest(folder, path);
  return JSON.stringify({ name, version, type, main, types, typings, exports: exported, typesVersions });
}

function readManifest(folder: string, path: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, path), 'utf8'));
  } catch {
    return {};
  }
}
