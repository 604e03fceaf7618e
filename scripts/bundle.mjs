// Bundles compiled packages, so that a start reads some ten files and not a thousand. See docs/decisions/0029-bundled-packages.md.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { OWNER_OF_ZOD, publishDeclarations } from './declarations.mjs';

const NODE = {
  ...{ bundle: true, platform: 'node', target: 'node20', charset: 'ascii', mainFields: ['module', 'main'] },
  // Node has had them since version 10. esbuild would make each use compile its expression again.
  supported: { 'regexp-unicode-property-escapes': true },
};
/** Modules that read files by their path use this constant in place of `import.meta.url`. */
const DIST = 'TOOLWRIGHT_DIST';
/** The package with the native parts of libsql. */
const NATIVE = '@toolwright/libsql';
/** The quickjs guest's WebAssembly. */
const ENGINE = '@jitl/quickjs-wasmfile-release-sync';

/**
 * Bundles a package. Each export, command and worker becomes one file at its place in `dist/`. Parts that several of them need, or
 * that load on demand, are in `dist/chunks/`. Dependencies stay imports. Other libraries become part of the bundle, and
 * `dist/licences.txt` has their licences.
 * @param {string} root folder of a package with `src/` and the declarations in `dist/`
 * @param {readonly string[]} [workers] programs of further processes, relative to `src/`
 * @returns {Promise<void>}
 */
export async function bundlePackage(root, workers = []) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    ...NODE,
    absWorkingDir: root,
    entryPoints: [...entriesOf(manifest), ...workers.map((worker) => join('src', worker))],
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    splitting: true,
    external: externalsOf(manifest),
    plugins: [ownPaths(join(root, 'src')), oneZod(manifest.name), withoutLoaders],
    metafile: true,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    if (/^export default require_\w+\(\);/m.test(text))
      throw new Error(
        `${path}: a CommonJS library loses its names by "await import()". Import it in a module of its own.`,
      );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withHeader(inAscii(text, path), relative(dirname(path), join(root, 'dist'))));
  }
  const texts = licences(root, Object.keys(metafile.inputs));
  if (texts.length > 0) writeFileSync(join(root, 'dist/licences.txt'), `${texts.join('\n\n\n')}\n`);
  publishDeclarations(root, manifest);
}

/**
 * Writes the characters of regular expressions and comments as escapes, as esbuild does everywhere else. V8 keeps a source with one other
 * character in two bytes per character. Raises an error for `String.raw`, whose text would change.
 */
function inAscii(text, path) {
  const raw = text.match(/\.raw`(?:[^`\\]|\\.)*`/gs)?.find((template) => /[^\0-\x7f]/.test(template));
  if (raw) throw new Error(`${path}: String.raw with characters outside of ASCII: ${raw}`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Bundles a CommonJS module and its libraries into one file, headed by the licences of those libraries.
 * @param {string} root folder of a package
 * @param {string} path of the module in `src/` and in `dist/`
 * @returns {Promise<void>}
 */
export async function bundleModule(root, path) {
  const options = { ...NODE, absWorkingDir: root, entryPoints: [join('src', path)], minify: true, format: 'cjs' };
  const { metafile, outputFiles } = await build({
    ...options,
    external: [NATIVE],
    plugins: [nativePart],
    outfile: join('dist', path),
    metafile: true,
    write: false,
  });
  const header = licences(root, Object.keys(metafile.inputs)).join('\n\n').replaceAll('*/', '* /');
  mkdirSync(dirname(join(root, 'dist', path)), { recursive: true });
  writeFileSync(join(root, 'dist', path), `/*!\n${header}\n*/\n${outputFiles[0].text}`);
}

/**
 * Copies the guest files, and makes the quickjs guest one file next to its WebAssembly. Such a guest reads no package.
 * @param {string} source folder of the guest files
 * @param {string} target
 * @returns {Promise<void>}
 */
export async function bundleGuest(source, target) {
  cpSync(source, target, { recursive: true, filter: (path) => !/\.test\.ts$|__pycache__/.test(path) });
  const { metafile, outputFiles } = await build({
    ...NODE,
    absWorkingDir: source,
    entryPoints: ['quickjs.js'],
    outdir: target,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const header = licences(source, Object.keys(metafile.inputs)).join('\n\n').replaceAll('*/', '* /');
  const globals =
    "import { createRequire } from 'node:module';\nconst __dirname = import.meta.dirname;\nconst require = createRequire(import.meta.url);";
  writeFileSync(join(target, 'quickjs.js'), `/*!\n${header}\n*/\n${globals}\n${outputFiles[0].text}`);
  await bundleNodeModules(join(source, 'javascript/node'), join(target, 'javascript/node'));
  const engine = createRequire(join(source, 'quickjs.js')).resolve(`${ENGINE}/wasm`);
  copyFileSync(engine, join(target, 'emscripten-module.wasm'));
}

/** The modules of Node in a folder of their own. */
const IN_FOLDERS = 'assert/strict fs/fs fs/promises stream/promises stream/web timers/promises timers/perf-hooks'.split(
  ' ',
);

/** Bundles the modules of Node for guests. Each becomes one file, which imports the other ones and the runtime. */
async function bundleNodeModules(source, target) {
  const { metafile, outputFiles } = await build({
    ...{
      bundle: true,
      platform: 'neutral',
      target: 'es2022',
      charset: 'ascii',
      mainFields: ['browser', 'module', 'main'],
    },
    absWorkingDir: source,
    entryPoints: [
      ...readdirSync(source).filter((name) => name.endsWith('.js')),
      ...IN_FOLDERS.map((name) => `${name}.js`),
    ],
    outdir: target,
    format: 'esm',
    // Names of functions and classes are visible to programs.
    ...{ minifySyntax: true, minifyWhitespace: true, legalComments: 'none' },
    external: ['../engine.js', 'node:*'],
    plugins: [guestLibraries],
    metafile: true,
    write: false,
  });
  rmSync(target, { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    const inputs = Object.keys(metafile.outputs[relative(source, path)]?.inputs ?? {});
    const header = licences(source, inputs).join('\n\n').replaceAll('*/', '* /');
    writeFileSync(path, header === '' ? text : `/*!\n${header}\n*/\n${text}`);
  }
}

/** Lets libraries use the modules of Node that the guest has. */
const guestLibraries = {
  name: 'guest-libraries',
  setup({ onLoad, onResolve }) {
    const own = {
      buffer: "export * from 'node:buffer';",
      events: "export * from 'node:events'; export { default } from 'node:events';",
      string_decoder: "export * from 'node:string_decoder';",
      process:
        'export const env = {}; export const nextTick = (task, ...values) => queueMicrotask(() => task(...values));',
      'abort-controller': 'export const { AbortController, AbortSignal } = globalThis;',
    };
    onResolve({ filter: /^[\w-]+\/?$/ }, ({ path, importer }) => {
      const name = path.replace(/\/$/, '');
      return /[\\/]node_modules[\\/]/.test(importer) && name in own ? { path: name, namespace: 'guest' } : null;
    });
    onLoad({ filter: /./, namespace: 'guest' }, ({ path }) => ({ contents: own[path] }));
  },
};

/** Returns the sources of a package's exports and commands. */
function entriesOf({ exports = {}, bin = {} }) {
  const exported = Object.values(exports).map((target) => target.default ?? target);
  return [...exported, ...Object.values(bin)]
    .filter((path) => path.endsWith('.js'))
    .map((path) => path.replace(/^(\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts'));
}

/** Returns the names of packages that are installed with a package. */
function externalsOf({ dependencies = {}, peerDependencies = {}, optionalDependencies = {} }) {
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  return names.flatMap((other) => [other, `${other}/*`]);
}

/** Lets libsql load its native part by the package that depends on it. */
const nativePart = {
  name: 'native-part',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]libsql[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace('require(`@libsql/', `require('${NATIVE}')(\`@libsql/`);
      if (contents === text) throw new Error(`${path} loads its native part in another way.`);
      return { contents };
    });
  },
};

/** Makes the other packages use the zod of its owner, and leaves out its messages in other languages (300 KB). */
function oneZod(name) {
  return {
    name: 'one-zod',
    setup({ onLoad, onResolve }) {
      if (name === OWNER_OF_ZOD) {
        onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
          contents: "export { default as en } from './en.js';",
        }));
      } else {
        onResolve({ filter: /^zod(\/v4)?$/ }, () => ({ path: `${OWNER_OF_ZOD}/zod`, external: true }));
      }
    },
  };
}

/** Leaves out the parts of the migration tool that compile migrations in TypeScript and find them by patterns (3 MB): ours are SQL. */
const withoutLoaders = {
  name: 'without-loaders',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(jiti|glob)$/ }, ({ path, importer }) =>
      /[\\/]node-pg-migrate[\\/]/.test(importer) ? { path, namespace: 'without-loaders' } : null,
    );
    onLoad({ filter: /./, namespace: 'without-loaders' }, () => ({
      contents: 'export const createJiti = () => undefined; export const glob = undefined;',
    }));
  },
};

/** Makes each module find its files from the folder `dist`, because a bundle has another place than its modules. */
function ownPaths(sources) {
  return {
    name: 'own-paths',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!path.startsWith(sources + sep) || !text.includes('import.meta.url')) return null;
        const name = relative(sources, path).replaceAll(sep, '/').replace(/\.ts$/, '.js');
        return { contents: text.replaceAll('import.meta.url', `new URL('${name}', ${DIST})`), loader: 'ts' };
      });
    },
  };
}

/** Adds the constants that a bundle needs: the folder `dist`, and `require` for libraries in CommonJS. */
function withHeader(text, toDist) {
  const [command, rest] = text.startsWith('#!')
    ? [`${text.split('\n')[0]}\n`, text.slice(text.indexOf('\n') + 1)]
    : ['', text];
  const url = `import.meta.url`;
  const dist = rest.includes(DIST)
    ? `const ${DIST} = new URL('${toDist === '' ? '.' : toDist.replaceAll(sep, '/')}/', ${url});\n`
    : '';
  const loader = /\b__require\b/.test(rest)
    ? `import { createRequire as toolwrightRequire } from 'node:module';\nconst require = toolwrightRequire(${url});\n`
    : '';
  return `${command}${loader}${dist}${rest}`;
}

/** Returns the licences of the packages in a bundle, sorted by name. */
function licences(root, inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const texts = [...new Set(folders.filter((folder) => folder !== undefined))].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return `Contains ${name} ${version}\n\n${licenceOf(join(root, folder))}`;
  });
  return texts.sort();
}

function licenceOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFileSync(join(folder, file), 'utf8').trim();
  return `Licence: ${JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).license}`;
}
