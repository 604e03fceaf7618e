import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = [
  'sandbox',
  'pii',
  'connectors',
  'storage',
  'core',
  'n8n',
  'server',
  'conformance',
  'toolwright',
] as const;
type PackageName = (typeof PACKAGES)[number];
interface Packed {
  readonly name: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}
const manifests = Object.fromEntries(
  PACKAGES.map((name) => [name, JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))]),
);
const manifest = manifests.toolwright;
/** Files that each package must contain, in addition to its manifest, README and license. */
const FILES: Readonly<Record<PackageName, readonly string[]>> = {
  sandbox: [
    'dist/guest/quickjs.js',
    'dist/guest/emscripten-module.wasm',
    'dist/language-worker.js',
    'dist/guest/python/main.py',
    'dist/guest/start.sh',
    'dist/sandboxes/docker/watch.js',
    'deploy/guest.Dockerfile',
    'deploy/guest-seccomp.json',
  ],
  pii: ['dist/detection/re2.cjs', 'dist/redaction/log-lines/redact-log-line.cjs', 'dist/search-worker.js'],
  connectors: ['dist/logins.js', 'dist/zod.js'],
  storage: [
    'dist/libsql.cjs',
    'dist/migrations/postgres/0001_store.sql',
    'dist/migrations/postgres/0002_journals.sql',
    'dist/migrations/postgres/0003_blobs.sql',
    'dist/migrations/postgres/0004_journal_times.sql',
    'dist/migrations/postgres/0007_work.sql',
    'dist/migrations/postgres/0010_sessions.sql',
    'dist/migrations/postgres/0011_folders.sql',
    'dist/migrations/postgres/0015_partitions.sql',
    'dist/migrations/postgres/0016_lost_wakeups.sql',
    'dist/migrations/postgres/0017_notifications.sql',
    'dist/migrations/sqlite/0006_work.sql',
    'dist/leases/renewal-main.js',
  ],
  core: ['dist/telemetry/pino.cjs', 'dist/telemetry/vocabulary.bin', 'dist/telemetry/vocabulary.cjs'],
  n8n: ['skills/n8n-workflow-builder/SKILL.md', 'skills/n8n-workflow-builder/index.ts'],
  server: [
    'dist/agent/prompts/system-prompt.md',
    'dashboard/index.html',
    'dashboard/licences.txt',
    'dashboard/ui/icon.svg',
  ],
  conformance: ['dist/connector.js', 'dist/detector.js', 'dist/model.js', 'dist/sandbox.js', 'dist/store.js'],
  toolwright: ['dist/cli.js', 'dist/skills/csv-report/SKILL.md', 'dist/skills/csv-report/__init__.py'],
};
const EXPECTED_FILE =
  /^(dist\/.*\.(js|d\.ts|py)|dist\/licences\.txt|dist\/guest\/(start\.sh|package\.json|emscripten-module\.wasm|(node|frames|modules|clock|computations|locale)\.cjs)|dist\/agent\/prompts\/system-prompt\.md|dist\/libsql\.cjs|dist\/postgres\/migrations\/\w+\.sql|dist\/telemetry\/(vocabulary\.(bin|cjs)|pino\.cjs)|dist\/detection\/re2\.cjs|dist\/redaction\/log-lines\/redact-log-line\.cjs|dashboard\/(index\.html|licences\.txt|ui\/icon\.svg|ui\/assets\/[\w-]+\.(js|css))|(deploy|skills|dist\/skills)\/[\w/.-]+|package\.json|README\.md|LICENSE)$/;

/** Runs a program like a user of the package: in a separate process, which has loaded no part of Toolwright. */
function use(source: string): unknown {
  const args = ['--input-type=module', '-e', `import { createRequire } from 'node:module'; ${source}`];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 20_000 });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Copies the Toolwright packages to a folder without optional packages. Returns the URL of a single module there. */
function alone(name: PackageName, module: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  for (const copied of PACKAGES) {
    const target = join(folder, 'node_modules', manifests[copied].name);
    for (const part of ['dist', 'build', 'package.json']) {
      cpSync(join(root, 'packages', copied, part), join(target, part), { recursive: true });
    }
    for (const dependency of Object.keys({ ...manifests[copied].dependencies, ...manifests[copied].devDependencies })) {
      const path = join(folder, 'node_modules', dependency);
      if (dependency.startsWith('@toolwright/') || existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(root, 'node_modules', dependency), path);
    }
  }
  return pathToFileURL(join(folder, 'node_modules', manifests[name].name, 'build', module)).href;
}

/** Lists the files of all packages as npm would publish them. */
const listPackages = () => {
  const args = ['pack', '--workspaces', '--dry-run', '--json', '--ignore-scripts'];
  const packed: Packed[] = JSON.parse(spawnSync('npm', args, { cwd: root, encoding: 'utf8' }).stdout);
  return new Map(packed.map((each) => [each.name, each]));
};
let packages: ReturnType<typeof listPackages> | undefined;

test.each(PACKAGES)('the package %s contains its build, its documents, and nothing else', (name) => {
  packages ??= listPackages();
  const { files = [], size } = packages.get(manifests[name].name) ?? {};
  const paths = files.map(({ path }) => path);
  const wanted = ['package.json', 'README.md', 'LICENSE', ...FILES[name]];
  expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => !EXPECTED_FILE.test(path))).toEqual([]);
  expect(paths.filter((path) => /\.test\.|fixture.*mjs|ledger\.jsonl/.test(path))).toEqual([]);
  expect(size).toBeLessThan(2_960_000);
});

test('the package libsql loads the native part of SQLite, and is for Node without SQLite', () => {
  packages ??= listPackages();
  const paths = packages.get('@toolwright/libsql')?.files.map(({ path }) => path);
  expect(paths?.sort()).toEqual(['LICENSE', 'README.md', 'index.cjs', 'index.d.cts', 'package.json']);
  const { engines } = JSON.parse(readFileSync(join(root, 'packages/libsql/package.json'), 'utf8'));
  expect([engines.node, manifests.storage.optionalDependencies]).toEqual([
    '<22.13',
    { '@toolwright/libsql': manifests.storage.version },
  ]);
});

test('every export exists, with its types', () => {
  const missing = PACKAGES.flatMap((name) =>
    Object.values(manifests[name].exports)
      .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(Object(target))))
      .map((target) => join(root, 'packages', name, String(target)))
      .filter((path) => !existsSync(path)),
  );
  expect(missing).toEqual([]);
  expect(
    use(`
      const [main, sandbox, store] = await Promise.all(
        ['toolwright', '@toolwright/conformance/sandbox', '@toolwright/conformance/store'].map((path) => import(path)));
      const { name } = createRequire(process.cwd() + '/')('toolwright/package.json');
      console.log(JSON.stringify([Object.keys(main).sort(), Object.keys(sandbox), Object.keys(store), name]));`),
  ).toEqual([
    [
      'DEFAULT_LIMITS',
      'DEFAULT_TASK_LIMITS',
      'PII_TYPES',
      'PiiError',
      'SKILL_LIMITS',
      'SandboxError',
      'ToolwrightError',
      'UsageError',
      'configText',
      'configUrl',
      'createCodeTools',
      'createDetection',
      'createLogger',
      'createTasks',
      'createToolwright',
      'defineCommand',
      'dockerSandbox',
      'findConfig',
      'inlineConnector',
      'jailSandbox',
      'kubernetesSandbox',
      'loadConfig',
      'mcpConnector',
      'memoryStore',
      'microsandboxSandbox',
      'modelSampler',
      'n8nPlugin',
      'openModels',
      'openStore',
      'parseConfig',
      'postgresStore',
      'pyodideSandbox',
      'quickjsSandbox',
      'redisStore',
      'scriptedModel',
      'sqliteStore',
    ],
    expect.arrayContaining(['sandboxCasesFor', 'runSandboxCase']),
    ['runStoreCase', 'storeCases'],
    'toolwright',
  ]);
});

test('the declarations name no package that an installation may lack', () => {
  const named = PACKAGES.flatMap((name) => {
    const { dependencies, peerDependencies } = manifests[name];
    const known = { ...dependencies, ...peerDependencies };
    const dist = join(root, 'packages', name, 'dist');
    const paths = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'));
    return paths.flatMap((path) =>
      [
        ...readFileSync(join(dist, path), 'utf8').matchAll(
          /(?:^(?:import|export) [^;]*?from |\bimport\()["']([^"']+)["']/gm,
        ),
      ]
        .map(([, target = '']) => target)
        .filter((target) => !/^(?:\.|node:)/.test(target))
        .map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target)
        .filter((target) => !Object.hasOwn(known, target))
        .map((target) => `${name}/${path} names ${target}`),
    );
  });
  expect(named).toEqual([]);
});

test('without the client library of the container engine, the error has the install command', async () => {
  const module = JSON.stringify(alone('sandbox', 'sandboxes/docker.js'));
  expect(
    use(`const { probeDocker } = await import(${module}); console.log(JSON.stringify(await probeDocker()))`),
  ).toEqual({
    available: false,
    reason: 'the client library of the engine is not installed',
    fix: 'run: npm install docker-modem',
  });
});

test('without the client library of Redis, the error has the install command', async () => {
  const module = JSON.stringify(alone('storage', 'redis.js'));
  expect(
    use(`const { redisStore } = await import(${module});
      const { code, message } = await redisStore({ url: 'redis://127.0.0.1:1' }).get('a', ['a']).catch((error) => error);
      console.log(JSON.stringify([code, message]))`),
  ).toEqual([
    'STORE_UNAVAILABLE',
    'The Redis store needs the package ioredis, which is not installed. Run: npm install ioredis',
  ]);
});

test('without the client library of PostgreSQL, the error has the install command', async () => {
  const module = JSON.stringify(alone('storage', 'postgres.js'));
  expect(
    use(`const { postgresStore } = await import(${module});
      const { code, message } = await postgresStore({ url: 'postgres://127.0.0.1:1/a' }).get('a', ['a']).catch((error) => error);
      console.log(JSON.stringify([code, message]))`),
  ).toEqual([
    'STORE_UNAVAILABLE',
    'The PostgreSQL store needs the package pg, which is not installed. Run: npm install pg',
  ]);
});

test.runIf(process.getBuiltinModule('node:sqlite') === undefined)(
  'without the native part of libsql, the error of the SQLite store has the install command',
  () => {
    const module = alone('storage', 'sqlite/sqlite-driver.js');
    const opened = () =>
      use(`const { openDriver } = await import(${JSON.stringify(module)});
        try { openDriver(':memory:'); } catch ({ code, message }) { console.log(JSON.stringify([code, message])); }`);
    expect(opened()).toEqual([
      'STORE_UNAVAILABLE',
      expect.stringMatching(/needs Node 22\.13 or later, or the package (@toolwright\/libsql),.* Run: npm install \1$/),
    ]);
    cpSync(join(root, 'packages/libsql'), join(fileURLToPath(module), '../../../../libsql'), { recursive: true });
    expect(opened()).toEqual([
      'STORE_UNAVAILABLE',
      expect.stringMatching(/needs Node 22\.13 or later, or the package (@libsql\/[\w-]+),.* Run: npm install \1$/),
    ]);
  },
);

test('without a TypeScript compiler, the type check reports the install command', () => {
  const module = alone('sandbox', 'checkers/typescript/compiler.js');
  const missing = () =>
    use(`const { findCompiler } = await import(${JSON.stringify(module)});
      try { findCompiler(); } catch ({ message }) { console.log(JSON.stringify(message)); }`);
  const { typescript } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
  const needs = `the type check needs the package typescript ${typescript}`;
  expect(missing()).toBe(`${needs}; it is not installed. Run: npm install typescript@${typescript}`);
  const older = join(fileURLToPath(module), '../../../../node_modules/typescript');
  mkdirSync(older, { recursive: true });
  writeFileSync(join(older, 'package.json'), '{"name":"typescript","version":"5.9.3"}');
  expect(missing()).toBe(
    `${needs}; version 5.9.3 is installed. Run: npm install typescript-7@npm:typescript@${typescript}`,
  );
});

test.each([
  ['anthropic', "anthropicModel({ name: 'x', apiKey: 'secret' })", '@ai-sdk/anthropic'],
  ['openai', "openaiModel({ name: 'x', apiKey: 'secret' })", '@ai-sdk/openai'],
  ['google', "googleModel({ name: 'x', apiKey: 'secret' })", '@ai-sdk/google'],
  ['mistral', "mistralModel({ name: 'x', apiKey: 'secret' })", '@ai-sdk/mistral'],
  ['bedrock', "bedrockModel({ name: 'x', region: 'x', credentials: { apiKey: 'secret' } })", '@ai-sdk/amazon-bedrock'],
  [
    'openai-compatible',
    "openaiCompatibleModel({ provider: 'vllm', name: 'x', baseUrl: 'http://127.0.0.1:1' })",
    '@ai-sdk/openai-compatible',
  ],
])('without the package of the provider %s, the error has the install command', (file, call, name) => {
  const module = JSON.stringify(alone('server', `models/${file}.js`));
  expect(
    use(`const models = await import(${module});
      const { code, message } = await models.${call}.catch((error) => error);
      console.log(JSON.stringify([code, message]))`),
  ).toEqual(['CONFIG_INVALID', `The model needs the packages ai and ${name}. Run: npm install ai ${name}`]);
});

test('the command runs', () => {
  const cli = join(root, 'packages/toolwright', manifest.bin.toolwright);
  expect([readFileSync(cli, 'utf8').split('\n')[0], statSync(cli).mode & 0o111]).toEqual([
    '#!/usr/bin/env node',
    0o111,
  ]);
  const { status, stdout } = spawnSync(cli, ['--version'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, `${manifest.version}\n`]);
});

test('an import starts no process and keeps none alive', () => {
  const loaded = use(`
    await import('toolwright');
    const { readdirSync, readFileSync } = await import('node:fs');
    const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
    console.log(JSON.stringify({
      children,
      resources: process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FS|Close)/.test(name)).length,
    }));`);
  expect(loaded).toEqual({ children: '', resources: 0 });
});

/** The exports that an import of `toolwright` loads. */
const EAGER: Partial<Record<PackageName, readonly string[]>> = {
  connectors: ['.', './internal', './errors', './oauth'],
  storage: ['.', './internal', './errors'],
};

test('an import loads no library that is needed later or never', () => {
  const eager = new Set<string>();
  const packages = new Map<PackageName, Set<string>>(PACKAGES.map((name) => [name, new Set()]));
  const bundled = new Set<string>();
  const walk = (owner: PackageName, path: string): void => {
    if (eager.has(path)) return;
    eager.add(path);
    const text = readFileSync(path, 'utf8');
    // The bundler names the source of each part in a comment.
    for (const [, name = ''] of text.matchAll(/^(?:\/\/| {2}") ?(?:\.\.\/)+node_modules\/((?:@[^/]+\/)?[^/]+)/gm))
      bundled.add(name);
    for (const [, target = ''] of text.matchAll(/^(?:import|export) ?(?:[^;"]*? from )?"([^"]+)";$/gm)) {
      if (target.startsWith('.')) walk(owner, join(path, '..', target));
      else if (!/^(?:node:|fs$|os$|path$|url$|util$|events$|crypto$|module$)/.test(target))
        packages.get(owner)?.add(/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
    }
  };
  for (const name of PACKAGES)
    for (const place of EAGER[name] ?? ['.'])
      for (const { default: entry } of [manifests[name].exports[place] ?? []].flat())
        walk(name, join(root, 'packages', name, entry));
  const late =
    /^(gpt-tokenizer|libsql|@modelcontextprotocol\/.*|hono|@hono\/.*|prom-client|yaml|re2js|image-size|jose|quickjs-emscripten-core|@jitl\/.*)$/;
  expect(bundled.size).toBeGreaterThan(5);
  expect([...bundled].filter((name) => late.test(name))).toEqual([]);
  const undeclared = PACKAGES.flatMap((name) =>
    [...(packages.get(name) ?? [])].filter((used) => !Object.hasOwn(manifests[name].dependencies ?? {}, used)),
  );
  expect(undeclared).toEqual([]);
  const own = (name: string) => name.startsWith('@toolwright/');
  expect([...(packages.get('core') ?? [])].filter((name) => !own(name))).toEqual([]);
});
