import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unwatchedStarts } from './child-processes.ts';
import { findCycles } from './cycles.ts';
import { functionsOf, pythonFunctionsOf } from './functions.ts';
import { rawTexts } from './shown-texts.ts';
import { filesIn, importsOf, PACKAGES, PRODUCT, ROOT, read, runtimeImportsOf, SOURCES } from './sources.ts';

const MAX_LINES = 500;
const MAX_MEDIAN_LINES = 100;
const MAX_FUNCTION_LINES = 80;
const MAX_FOLDERS = 15;
const MAX_FILES = 15;
const MAX_CORE_DEPENDENCIES = 10;
/** Selections of fields where a whole object could be passed, and keys that are left out by a spread. Both may only get fewer. */
const MAX_PICKS = 54;
const MAX_CONDITIONAL_SPREADS = 54;
const FORBIDDEN_WORDS = /^(manager|service|util|utils|helper|helpers|common|misc)$/;
const EVERYTHING = [
  ...SOURCES,
  ...['test', 'bench', 'examples', 'scripts'].flatMap((folder) => filesIn(folder, /\.(ts|js|cjs|mjs)$/)),
];
const MANIFESTS = ['package.json', ...Object.keys(PACKAGES).map((name) => `packages/${name}/package.json`)];

/** The imports that adapters may have outside of their own folder: their port, types and errors. */
const ADAPTERS: Readonly<Record<string, RegExp>> = {
  'packages/sandbox/src/guest': /^packages\/sandbox\/src\/guest\//,
  'packages/sandbox/src/languages': /^packages\/sandbox\/src\/(languages\/|errors|language-workers\/shared)/,
  'packages/sandbox/src/checkers':
    /^packages\/sandbox\/src\/(checkers\/|errors|guest-api|language-workers\/shared|processes\/start-process|languages\/typescript\/(parse|requires|shape))/,
  'packages/sandbox/src/sandboxes':
    /^packages\/sandbox\/src\/(sandboxes\/|processes\/|cache-folder|diagnostics|errors|bridge\/(protocol|frames|json|exact-json)|languages\/language)/,
  'packages/core/src/journal/storages': /^packages\/core\/src\/(journal\/|errors)/,
  'packages/server/src/models': /^packages\/server\/src\/models\//,
};

/** Files outside of `packages/n8n` that name n8n, and why. */
const NAMES_N8N: Readonly<Record<string, string>> = {
  'package.json': 'the list of the packages',
  'scripts/build.mjs': 'the list of the packages',
  'scripts/lanes.mjs': 'the list of the packages',
  'scripts/installed/program.ts': 'a program of users, checked with the installed packages',
  'packages/toolwright/package.json': 'toolwright installs the plugin',
  'packages/toolwright/src/index.ts': 'toolwright exports the plugin',
  'packages/toolwright/src/commands/usage.ts': 'toolwright has the command of the plugin',
  'packages/core/src/option-names.test.ts': 'the name of an installed plugin in a test',
};

const PARSERS = /^(oxc-parser|esbuild|typescript)$/;
/** Modules that only the program of a language worker loads. */
const IN_WORKERS = new RegExp(
  `^packages/sandbox/src/(${[
    'language-worker',
    'languages/(operations|yaml|flow/(calls|expressions|graph|scope|sites|syntax|typescript-flow|python/(bindings|calls|expressions|names|python-flow))|typescript/(commonjs|expressions|functions|module|names|parse|passes-data|prepare|recognition|requires|shape|computed/(caught|computed|operands|words)|watch/watch)|python/(functions|module|names|passes-data|text|syntax/(expressions|statements|tokens)))',
    'checkers/(operations|typescript/(check|connection|idle-code|outline|problems|returned-value))',
  ].join('|')})\\.ts$`,
);
/** Bundles packages for the command line. It reads no program, and a server does not run it. */
const BUILDING = 'packages/sandbox/src/packages/esm-layer.ts';
const SERVING = PRODUCT.filter(
  (path) => path.endsWith('.ts') && !IN_WORKERS.test(path) && !path.includes('/guest/') && path !== BUILDING,
);

/** The one file that may start processes. */
const STARTS_PROCESSES = 'packages/sandbox/src/processes/start-process.ts';

function lines(path: string): number {
  return read(path).split('\n').length;
}

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Returns the folder at the first level of its package; undefined for a file of the package itself. */
function roomOf(path: string): string | undefined {
  return /^packages\/\w+\/src\/[\w-]+(?=\/)/.exec(path)?.[0];
}

describe('structure', () => {
  it(`has no file over ${MAX_LINES} lines, and half of them under ${MAX_MEDIAN_LINES}`, () => {
    expect(EVERYTHING.filter((path) => lines(path) > MAX_LINES)).toEqual([]);
    const sizes = PRODUCT.map(lines).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MAX_MEDIAN_LINES);
  });

  it(`has no function over ${MAX_FUNCTION_LINES} lines`, () => {
    const long = PRODUCT.flatMap((path) => {
      const functions = path.endsWith('.py') ? pythonFunctionsOf(read(path)) : functionsOf(path, read(path));
      return functions
        .filter((found) => found.lines > MAX_FUNCTION_LINES)
        .map((found) => `${path}:${found.line} ${found.name} has ${found.lines} lines`);
    });
    expect(long).toEqual([]);
  });

  it(`has at most ${MAX_PICKS} selections of fields, and ${MAX_CONDITIONAL_SPREADS} conditional spreads`, () => {
    const count = (pattern: RegExp) => PRODUCT.reduce((sum, path) => sum + [...read(path).matchAll(pattern)].length, 0);
    expect(count(/\bPick</g)).toBeLessThanOrEqual(MAX_PICKS);
    expect(count(/\.\.\.\(.*(?:\? \{\} :|: \{\}\))/g)).toBeLessThanOrEqual(MAX_CONDITIONAL_SPREADS);
  });

  it(`has at most ${MAX_FOLDERS} folders at the first level of a package`, () => {
    const counts = Object.keys(PACKAGES).map((name) => {
      const entries = readdirSync(join(ROOT, 'packages', name, 'src'), { withFileTypes: true });
      return [name, entries.filter((entry) => entry.isDirectory()).length] as const;
    });
    expect(counts.filter(([, count]) => count > MAX_FOLDERS)).toEqual([]);
  });

  it('names files after their content', () => {
    const bad = EVERYTHING.filter((path) => {
      const parts = path.split('/').map((part) => part.replace(/\..*$/, ''));
      const inside = parts.slice(parts.indexOf('src') + 1);
      // The main file of a folder may have its name.
      const repeats = inside.slice(0, -1).some((part, index) => index > 0 && part === inside[index - 1]);
      const words = parts.flatMap((part) => part.split('-'));
      const isNamed = !/[A-Z_]/.test(basename(path)) || basename(path) === '__init__.py';
      return repeats || words.some((word) => FORBIDDEN_WORDS.test(word)) || !isNamed;
    });
    expect(bad).toEqual([]);
  });

  it('imports only built files that exist', () => {
    const missing = EVERYTHING.flatMap((path) =>
      [...read(path).matchAll(/from '(?:\.\.\/)+(packages\/\w+\/(?:dist|build)\/[\w/.-]+\.js)'/g)]
        .filter(([, built = '']) => !existsSync(join(ROOT, built)))
        .map(([, built]) => `${path}: ${built}`),
    );
    expect(missing).toEqual([]);
  });

  it(`has at most ${MAX_FILES} files in a folder, tests not counted`, () => {
    const counts = new Map<string, number>();
    for (const path of PRODUCT) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const crowded = [...counts].filter(([, count]) => count > MAX_FILES);
    expect(crowded).toEqual([]);
  });

  it('lets the folders of a package import each other in one direction', () => {
    const arrows = new Set(
      PRODUCT.filter((path) => !path.includes('conformance')).flatMap((path) =>
        importsOf(path)
          .filter((target) => target.startsWith('packages/') && !target.includes('conformance'))
          .filter((target) => roomOf(path) !== undefined && roomOf(target) !== undefined)
          .map((target) => `${roomOf(path)} > ${roomOf(target)}`),
      ),
    );
    const mutual = [...arrows].filter((arrow) => {
      const [from = '', to = ''] = arrow.split(' > ');
      return from < to && arrows.has(`${to} > ${from}`);
    });
    expect(mutual).toEqual([]);
  });

  it('has no import cycle', () => {
    const code = PRODUCT.filter((path) => !path.endsWith('.py'));
    const known = new Set(code);
    const edges = new Map(code.map((path) => [path, importsOf(path).filter((target) => known.has(target))]));
    expect(findCycles(edges)).toEqual([]);
  });

  it('finds existing cycles', () => {
    const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['f'] };
    expect(findCycles(new Map(Object.entries(edges)))).toEqual([['a', 'b', 'c'], ['f']]);
  });
});

/** Libraries that the build bundles into a module, so that users need not install them. */
const BUNDLED = /^packages\/(core\/src\/telemetry\/vocabulary|storage\/src\/libsql)\.cjs$/;

describe('dependency rules', () => {
  it('lets a package import only those below it, by their name', () => {
    const broken = PRODUCT.flatMap((path) => {
      const own = packageOf(path);
      const allowed = PACKAGES[own] ?? [];
      return importsOf(path)
        .filter((target) => {
          if (target.startsWith('packages/')) return packageOf(target) !== own;
          const [, used] = /^@toolwright\/(\w+)/.exec(target) ?? [];
          return used !== undefined && !allowed.includes(used);
        })
        .map((target) => `${path} imports ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it.each(Object.entries(ADAPTERS))('lets %s import its port, types and errors', (folder, allowed) => {
    const broken = PRODUCT.filter((path) => path.startsWith(`${folder}/`)).flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith('packages/') && !allowed.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('parses texts of programs in language workers only', () => {
    const edges = new Map(SERVING.map((path) => [path, runtimeImportsOf(path)]));
    const parsing = [...edges].flatMap(([path, targets]) =>
      targets.filter((target) => PARSERS.test(target)).map((target) => `${path} imports ${target}`),
    );
    expect(parsing).toEqual([]);
    const inWorkers = PRODUCT.filter((path) => IN_WORKERS.test(path));
    expect(inWorkers.some((path) => runtimeImportsOf(path).some((target) => PARSERS.test(target)))).toBe(true);
    const crossing = [...edges].flatMap(([path, targets]) =>
      targets.filter((target) => IN_WORKERS.test(target)).map((target) => `${path} imports ${target}`),
    );
    expect(crossing).toEqual([]);
  });

  it('declares the imports of each package', () => {
    const undeclared = PRODUCT.flatMap((path) => {
      const { devDependencies, dependencies, peerDependencies, optionalDependencies, engines } = JSON.parse(
        read(`packages/${packageOf(path)}/package.json`),
      );
      // The build makes devDependencies part of the package. An engine that loads the package has a module of its name.
      const declared = {
        ...dependencies,
        ...devDependencies,
        ...peerDependencies,
        ...optionalDependencies,
        ...engines,
      };
      if (BUNDLED.test(path) || path.includes('/conformance') || path.includes('/src/guest/') || path.endsWith('.py'))
        return [];
      return importsOf(path)
        .filter((target) => /^[@\w]/.test(target) && !/^(node:|packages\/)/.test(target))
        .map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target)
        .filter((name) => !Object.hasOwn(declared, name))
        .map((name) => `${path} imports ${name}`);
    });
    expect(undeclared).toEqual([]);
  });

  it(`keeps @toolwright/core at ${MAX_CORE_DEPENDENCIES} dependencies at most`, () => {
    const { dependencies } = JSON.parse(read('packages/core/package.json'));
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(MAX_CORE_DEPENDENCIES);
  });

  it('pins every dependency to an exact version, and peers to a caret range', () => {
    const loose = MANIFESTS.flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(read(path));
      const pinned = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
      const peers = Object.entries<string>({ ...peerDependencies });
      return [
        ...pinned.filter(([, version]) => !/^\d/.test(version)),
        ...peers.filter(([, version]) => !/^\^\d/.test(version)),
      ].map(([name, version]) => `${path}: ${name} ${version}`);
    });
    expect(loose).toEqual([]);
  });

  it('gives all packages the same version', () => {
    const versions = MANIFESTS.map((path) => JSON.parse(read(path)).version);
    expect(new Set(versions).size).toBe(1);
  });
});

describe('safety', () => {
  it('shows texts of programs, tools and servers escaped', () => {
    const pages = filesIn('packages/dashboard/src', /\.tsx$/);
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.flatMap((path) => rawTexts(path, read(path)))).toEqual([]);
  });

  it('finds texts that are shown as they are', () => {
    const page = (shown: string) => rawTexts('page.tsx', `const page = ${shown};`);
    for (const shown of [
      ...[
        '<p>{error.code}</p>',
        `<option>{\`call \${tool.slice(0, 60)}\`}</option>`,
        '<>{isShown && (path ?? name)}</>',
      ],
      ...['<section aria-label={path} />', "<p title={'Tool ' + tool} />"],
    ])
      expect([shown, page(shown)]).toEqual([shown, ['page.tsx:1']]);
    for (const shown of [
      '<Text value={error.code} />',
      '<p>{visibleText(tool)}</p>',
      '<li key={path}>{path.length}</li>',
    ])
      expect([shown, page(shown)]).toEqual([shown, []]);
  });

  it('has no exception from the type checker without a reason', () => {
    const escapes = PRODUCT.filter((path) => {
      const code = read(path)
        .replaceAll(/^\s*(\*|\/\*\*|\/\/).*$/gm, '')
        .replaceAll(/'[^'\n]*'/g, "''");
      return /@ts-(ignore|nocheck|expect-error)|\bas any\b|:\s*any\b/.test(code) && path.endsWith('.ts');
    });
    expect(escapes).toEqual([]);
  });

  it('uses no engine in its own process as a boundary', () => {
    const vm = PRODUCT.filter((path) =>
      path.endsWith('.cjs')
        ? /require\('(node:)?(vm|worker_threads)'\)/.test(read(path))
        : runtimeImportsOf(path).some((target) => /^(node:)?(vm|worker_threads)$/.test(target)),
    );
    // Threads that search large texts, and the one that renews leases, run no program. The guest runs inside a sandbox, and
    // uses only the module loader. A server at rest takes the collector of garbage from an empty context.
    const searching = ['packages/pii/src/search-worker.ts', 'packages/pii/src/workers/worker.ts'];
    const renewing = ['main', 'thread'].map((name) => `packages/storage/src/leases/renewal-${name}.ts`);
    const others = ['packages/sandbox/src/guest/node.cjs', 'packages/toolwright/src/commands/serve/idle-memory.ts'];
    expect(vm.sort()).toEqual([...searching, ...renewing, ...others].sort());
  });

  it('starts every process by the one function that listens to its errors', () => {
    const files = PRODUCT.filter((path) => !/\/guest\/|\.py$/.test(path) && path !== STARTS_PROCESSES);
    const found = files.flatMap((path) => unwatchedStarts(read(path)).map((name) => `${path}: ${name}`));
    expect(found).toEqual([]);
    expect(unwatchedStarts(read(STARTS_PROCESSES))).toContain('spawn');
  });

  it.each([
    ["import { spawn } from 'node:child_process';", ['spawn']],
    ["import { type ChildProcess, fork } from 'child_process';", ['fork']],
    ["import {\n  exec,\n  execFileSync as run,\n} from 'node:child_process';", ['exec', 'execFileSync as run']],
    ["import * as processes from 'node:child_process';", ['* as processes']],
    ["import processes from 'node:child_process';", ['processes']],
    ["const { spawn } = require('child_process');", ["require('child_process'"]],
    ["const { spawn } = await import('node:child_process');", ["import('node:child_process'"]],
    ["import { execFile } from 'node:child_process';\nexecFile('ls', () => undefined);", ['execFile']],
    ["import { execFile } from 'node:child_process';\nconst run = promisify(execFile);", []],
    ["import type { ChildProcess, SpawnOptions } from 'node:child_process';", []],
  ])('finds processes that start without a listener: %s', (text, found) => {
    expect(unwatchedStarts(text)).toEqual(found);
  });

  it('has no mention of n8n outside of its package', () => {
    const files = [...SOURCES, ...MANIFESTS, ...filesIn('scripts', /\.(ts|mjs)$/)];
    const named = files.filter((path) => !path.startsWith('packages/n8n/') && /n8n/i.test(read(path)));
    expect(named.sort()).toEqual(Object.keys(NAMES_N8N).sort());
  });
});
