import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { GUEST_MODULES } from '../languages/typescript/guest-modules.ts';
import { openSandboxes } from '../sandboxes/choose.ts';
import type { LockedLanguage } from './lock.ts';
import { loadArchives } from './npm.ts';
import { readRequest } from './requests.ts';
import { runPackage } from './run-package.ts';
import { invalidPackages, type PackageSources } from './run-tool.ts';
import { writeTypes } from './type-files.ts';

/** The modules of a layer: the file of each specifier that a program may import. */
export type ModuleFiles = Readonly<Record<string, string>>;

/** The file of a layer that lists its modules. */
export const MODULES_FILE = 'modules.json';
/** Modules that bundles share. Guests resolve them to this path, because a package is at the root for them. */
const CHUNK = 'toolwright-chunk-[hash]';
const MEMORY_BYTES = 512 * 1024 * 1024;
/** `import` of these subpaths of one package works; a package has rarely more. */
const MAX_SUBPATHS = 1_000;
/** Marks a module of the guest that CommonJS requires. */
const IMPORTED = 'imported:';
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** An import of a program, with the names that it provides. */
interface Entry {
  readonly specifier: string;
  readonly out: string;
}

/** Bundles the packages of a lock into ES modules, in a folder. Code of packages runs in a sandbox only. */
export async function buildEsmLayer(
  language: LockedLanguage,
  { content, folder, sources }: { readonly content: string; readonly folder: string; readonly sources: PackageSources },
): Promise<void> {
  const { requested } = language;
  await loadArchives(language, { folder, sources });
  // Packages of types have no code.
  const names = requested
    .map((text) => readRequest('typescript', text).name)
    .filter((name) => !name.startsWith('@types/'));
  const entries = names
    .flatMap((name) => specifiersOf(folder, name))
    .map((specifier, index) => ({ specifier, out: `m${index}` }));
  const first = join(folder, 'first');
  const formats = await bundle(entries, {
    folder,
    out: first,
    textOf: ({ specifier }) => `import * as all from ${JSON.stringify(specifier)};\nexport { all };`,
  });
  const common = entries.filter(({ specifier }) => formats.get(specifier) !== 'esm');
  const exported = await exportsOf(common, first);
  await mkdir(content, { recursive: true });
  await bundle(entries, { folder, out: content, textOf: ({ specifier }) => entryText(specifier, exported[specifier]) });
  const files = Object.fromEntries(entries.map(({ specifier, out }) => [specifier, `${out}.js`]));
  await writeFile(join(content, MODULES_FILE), JSON.stringify(files));
  await writeTypes(content, folder, Object.keys(files));
}

/** Returns the text of a module that exports the same as a package. CommonJS has its names only when it runs. */
function entryText(specifier: string, names: readonly string[] | undefined): string {
  const from = JSON.stringify(specifier);
  // Programs also write a default import for packages without one.
  if (names === undefined)
    return `export * from ${from};\nimport * as all from ${from};\nexport default all["default"] ?? all;`;
  const own = names.filter((name) => name !== 'default' && name !== '__esModule' && IDENTIFIER.test(name));
  const lines = own.map((name, index) => `const v${index} = all.${name};\nexport { v${index} as ${name} };`);
  return [`import * as all from ${from};`, 'export default all.default;', ...lines].join('\n');
}

/** Returns the specifiers of a package for programs: its main module and its public subpaths. */
function specifiersOf(folder: string, name: string): string[] {
  const root = join(folder, 'node_modules', name);
  const { exports: exported, main, module: esm } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const isMap = typeof exported === 'object' && exported !== null && !Array.isArray(exported);
  const keys = isMap ? Object.keys(exported).filter((key) => key.startsWith('.')) : [];
  const subpaths =
    exported === undefined
      ? readdirSync(root)
          .filter((file) => file.endsWith('.js'))
          .map((file) => `./${file.slice(0, -3)}`)
      : keys;
  const usable = subpaths.filter((key) => key !== '.' && !/[*]|\.(?:json|css|d\.[cm]?ts)$|\/$/.test(key));
  const hasMain =
    exported === undefined
      ? main !== undefined || esm !== undefined || existsSync(join(root, 'index.js'))
      : !isMap || keys.length === 0 || keys.includes('.');
  return [...(hasMain ? [name] : []), ...usable.slice(0, MAX_SUBPATHS).map((key) => `${name}${key.slice(1)}`)];
}

/** Finds the modules of entries, and those of Node: of the guest, of a package, or a module whose use is an error. */
function moduleFinder(entries: readonly Entry[], folder: string, textOf: (entry: Entry) => string): Plugin {
  const byOut = new Map(entries.map((entry) => [`toolwright:${entry.out}`, entry]));
  return {
    name: 'toolwright',
    setup(build) {
      build.onResolve({ filter: /^toolwright:/ }, ({ path }) => ({ path, namespace: 'entry' }));
      build.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
        contents: textOf(byOut.get(path) as Entry),
        resolveDir: folder,
      }));
      build.onResolve({ filter: BUILTINS }, ({ path, kind }) => {
        const name = path.replace(/^node:/, '');
        // Packages for browsers bring their own `buffer` or `events`.
        if (path === name && existsSync(join(folder, 'node_modules', name))) return undefined;
        if (!GUEST_MODULES.has(name)) return { path: name, namespace: 'missing' };
        // CommonJS cannot import a module of the guest itself.
        if (kind === 'require-call') return { path: name, namespace: 'required' };
        return { path: `node:${name}`, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
        contents: `const { default: value, ...names } = require("${IMPORTED}${path}"); module.exports = value ?? names;`,
        loader: 'js',
      }));
      build.onResolve({ filter: new RegExp(`^${IMPORTED}`) }, ({ path }) => ({
        path: path.slice(IMPORTED.length),
        namespace: 'imported',
      }));
      build.onLoad({ filter: /.*/, namespace: 'imported' }, ({ path }) => ({
        contents: `export * from "node:${path}"; export { default } from "node:${path}";`,
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'missing' }, ({ path }) => ({
        contents: missingModule(path),
        loader: 'js',
      }));
    },
  };
}

/** Bundles entries. Returns the format of each entry's package module. */
async function bundle(
  entries: readonly Entry[],
  { folder, out, textOf }: { readonly folder: string; readonly out: string; readonly textOf: (entry: Entry) => string },
): Promise<ReadonlyMap<string, string | undefined>> {
  const { build } = await import('esbuild');
  const formats = new Map<string, string | undefined>();
  try {
    const { metafile } = await build({
      entryPoints: entries.map((entry) => ({ in: `toolwright:${entry.out}`, out: entry.out })),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      splitting: true,
      minify: true,
      metafile: true,
      outdir: out,
      chunkNames: CHUNK,
      absWorkingDir: folder,
      target: 'es2022',
      logLevel: 'silent',
      legalComments: 'none',
      plugins: [moduleFinder(entries, folder, textOf)],
      mainFields: ['module', 'browser', 'main'],
      // Web workers and host objects of browsers are as absent here as those of Node.
      conditions: ['import', 'module', 'default'],
      define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    });
    for (const { specifier, out } of entries) {
      const imported = metafile.inputs[`entry:toolwright:${out}`]?.imports.find(
        ({ original }) => original === specifier,
      )?.path;
      formats.set(specifier, imported === undefined ? undefined : metafile.inputs[imported]?.format);
    }
  } catch (error) {
    const { errors = [] } = error as { errors?: readonly { text: string; location?: { file: string } | null }[] };
    const [first] = errors;
    const where = first?.location ? `${first.location.file.replace(/^.*node_modules\//, '')}: ` : '';
    throw invalidPackages(
      `The packages cannot be bundled for programs. ${where}${first?.text ?? String(error)}`,
      error,
    );
  }
  return formats;
}

const BUILTINS = new RegExp(
  `^(?:node:)?(?:${builtinModules
    .filter((name) => !name.startsWith('_'))
    .map((name) => name.replace('/', '\\/'))
    .join('|')})$`,
);

/** Returns a module in place of one of Node. Its import works, because packages often do not use it. Its use is an error. */
function missingModule(name: string): string {
  const message = `A package uses node:${name}, which programs do not have.`;
  return `module.exports = new Proxy({}, { get(_, key) { if (typeof key === 'symbol' || key === '__esModule' || key === 'default' || key === 'then') return undefined; throw new Error(${JSON.stringify(message)}); } });`;
}

/** Runs bundles of CommonJS in a sandbox, and returns the names that each exports. */
async function exportsOf(
  entries: readonly Entry[],
  folder: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (entries.length === 0) return {};
  await using sandboxes = openSandboxes({ sandbox: 'auto', memoryBytes: MEMORY_BYTES });
  const { sandbox } = await sandboxes.for('javascript');
  const sources = new Map<string, string>();
  for (const file of readdirSync(folder)) sources.set(`/${file}`, await readFile(join(folder, file), 'utf8'));
  const lines = entries.map(({ specifier, out }) => {
    const key = JSON.stringify(specifier);
    return `try { const { all } = await import("/${out}.js"); found[${key}] = Object.keys(all); } catch (error) { failed[${key}] = String(error); }`;
  });
  const code = `export default async () => { const found = {}, failed = {};\n${lines.join('\n')}\nreturn { found, failed }; };`;
  const result = await runPackage(
    sandbox,
    { guest: 'javascript', code },
    { memoryBytes: MEMORY_BYTES, modules: (path) => sources.get(path) },
  );
  const { found, failed } = result as { found: Record<string, string[]>; failed: Record<string, string> };
  const [broken] = entries.filter(({ specifier }) => failed[specifier] !== undefined && !specifier.includes('/', 1));
  if (broken) throw invalidPackages(`${broken.specifier} does not work in programs: ${failed[broken.specifier]}`);
  return { ...Object.fromEntries(Object.keys(failed).map((specifier) => [specifier, []])), ...found };
}
