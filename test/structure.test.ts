import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_LINES = 400;
const MAX_MEDIAN_LINES = 120;
const FORBIDDEN_WORDS = /^(manager|service|util|utils|helper|helpers|common|misc)$/;

/** What a file of a room may import beside its own room, packages and Node: the law of imports. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  guest: [],
  agent: [
    'errors',
    'diagnostics',
    'log',
    'log-ids',
    'tracing',
    'toolwright',
    'execution',
    'skills/skill',
    'workspaces/folder-name',
    'languages/language',
    'models/model',
    'sandboxes/queue',
    'tools/catalog',
    'tools/tool',
  ],
  models: ['errors'],
  checkers: ['errors', 'reaper'],
  bridge: ['errors', 'tools', 'skills', 'workspaces', 'languages', 'execution/limits', 'pii/guard'],
  connectors: ['errors', 'reaper', 'tracing', 'tools/tool', 'tools/suggest', 'tools/search'],
  execution: [
    'errors',
    'diagnostics',
    'log-ids',
    'tracing',
    'bridge',
    'tools',
    'skills',
    'workspaces',
    'languages/language',
    'sandboxes/sandbox',
    'checkers/checker',
    'pii/guard',
  ],
  languages: ['errors'],
  pii: ['errors', 'stores/store'],
  sandboxes: ['errors', 'diagnostics', 'reaper', 'watcher', 'bridge/protocol', 'bridge/json', 'languages/language'],
  stores: ['errors'],
  tools: ['errors', 'tracing', 'connectors/connector'],
  skills: ['errors', 'workspaces', 'languages/language', 'tools/tokens'],
  workspaces: ['errors'],
  servers: [
    'agent',
    'errors',
    'log',
    'log-ids',
    'diagnostics',
    'tracing',
    'agent/task',
    'stores/store',
    'toolwright',
    'execution/result',
    'bridge/json',
    'bridge/record',
    'languages/language',
    'sandboxes/queue',
    'skills/skill',
    'tools/catalog',
    'tools/tool',
  ],
  commands: [
    'agent',
    'models/choose',
    'state',
    'servers',
    'stores/store',
    'errors',
    'connectors/n8n',
    'config',
    'languages/language',
    'log',
    'skills',
    'toolwright',
    'pii',
    'execution/result',
    'execution/session-log',
    'execution/session-record',
    'sandboxes/choose',
    'tools/catalog',
    'tools/suggest',
  ],
};
/** Ports and the conformance suite of sandboxes look at the whole heart from outside. */
const SUITES = /^sandboxes\/conformance/;

function files(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)(node_modules|dist|out)\//.test(path));
}

const sources = files('src', /\.(ts|js|cjs|py)$/);
const product = sources.filter((path) => !path.endsWith('.test.ts'));
const everything = [
  ...sources,
  ...['test', 'bench', 'examples', 'scripts'].flatMap((folder) => files(folder, /\.(ts|js|cjs|mjs)$/)),
];

function lines(path: string): number {
  return readFileSync(join(root, path), 'utf8').split('\n').length;
}

/** Paths of our own files that a file imports, without `src/` and the extension. */
function imports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target = '']) =>
    relative(join(root, 'src'), join(root, dirname(path), target))
      .split(sep)
      .join('/')
      .replace(/\.[jt]s$/, ''),
  );
}

describe('structure', () => {
  it(`has no file over ${MAX_LINES} lines, and half of them under ${MAX_MEDIAN_LINES}`, () => {
    expect(everything.filter((path) => lines(path) > MAX_LINES)).toEqual([]);
    const sizes = product.map(lines).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(MAX_MEDIAN_LINES);
  });

  it('names files for what they are', () => {
    const bad = everything.filter((path) => {
      const parts = path.split('/').map((part) => part.replace(/\..*$/, ''));
      const repeats = parts.some((part, index) => index > 0 && part === parts[index - 1]);
      const words = parts.flatMap((part) => part.split('-'));
      return repeats || words.some((word) => FORBIDDEN_WORDS.test(word)) || /[A-Z_]/.test(basename(path));
    });
    expect(bad).toEqual([]);
  });

  it('keeps the law of imports', () => {
    const broken = product.flatMap((path) => {
      const inside = path.replace(/^src\//, '');
      const [room = ''] = inside.split('/');
      const allowed = MAY_IMPORT[room];
      if (allowed === undefined || !inside.includes('/') || SUITES.test(inside)) return [];
      const fits = (target: string) =>
        target.startsWith(`${room}/`) || allowed.some((may) => target === may || target.startsWith(`${may}/`));
      return imports(path)
        .filter((target) => !fits(target))
        .map((target) => `${path} imports ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it('gives every room an entry in the law of imports, and in ARCHITECTURE.md', () => {
    const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = rooms.map(({ name }) => name).sort();
    expect(names).toEqual(Object.keys(MAY_IMPORT).sort());
    const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    expect(names.filter((name) => !architecture.includes(`\`${name}/\``))).toEqual([]);
  });

  it('pins every dependency exactly', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const loose = Object.entries<string>({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('has no escape from the type checker without a reason', () => {
    const escapes = product.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const code = text.replaceAll(/^\s*(\*|\/\*\*|\/\/).*$/gm, '').replaceAll(/'[^'\n]*'/g, "''");
      return /@ts-(ignore|nocheck|expect-error)|\bas any\b|:\s*any\b/.test(code) && path.endsWith('.ts');
    });
    expect(escapes).toEqual([]);
  });

  it('uses no engine in our own process as a boundary', () => {
    const vm = product.filter((path) =>
      (path.endsWith('.cjs') ? /require\('(node:)?(vm|worker_threads)'\)/ : /from '(node:)?(vm|worker_threads)'/).test(
        readFileSync(join(root, path), 'utf8'),
      ),
    );
    // This one runs inside a sandbox, and takes the module loader only.
    expect(vm).toEqual(['src/guest/node.cjs']);
  });
});
