import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs a program as a user of the package does; it is its own process, so nothing of ours is loaded yet. */
function use(source: string): unknown {
  const args = ['--input-type=module', '-e', `import { createRequire } from 'node:module'; ${source}`];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 20_000 });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('the package holds what is built, its papers, and nothing else', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files, size }] = JSON.parse(stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  for (const path of [
    'package.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/cli.js',
    'dist/guest/quickjs.js',
    'dist/guest/python/main.py',
    'dist/guest/start.sh',
    'dist/sandboxes/docker/watch.js',
    'dist/agent/system-prompt.md',
    'dist/stores/libsql.cjs',
    'deploy/guest.Dockerfile',
  ]) {
    expect(paths).toContain(path);
  }
  const strange = paths.filter(
    (path) =>
      !/^(dist\/.*\.(js|d\.ts|py)|dist\/guest\/(start\.sh|package\.json|(node|frames|modules)\.cjs)|dist\/agent\/system-prompt\.md|dist\/stores\/libsql\.cjs|deploy\/[\w/.-]+|docs\/.*\.md|package\.json|[A-Z]+\.md|LICENSE)$/.test(
        path,
      ),
  );
  expect([strange, paths.filter((path) => /\.test\.|fixture.*mjs|ledger\.jsonl/.test(path)), size < 2_500_000]).toEqual(
    [[], [], true],
  );
});

test('every export is there, with its types', () => {
  const targets = Object.values(manifest.exports).flatMap((target) => Object.values(Object(target)));
  expect(
    targets
      .filter((target) => typeof target === 'string' && target.length > 1)
      .every((target) => statSync(join(root, String(target))).isFile()),
  ).toBe(true);
  expect(
    use(`
      const [main, sandbox, store] = await Promise.all(
        ['toolwright', 'toolwright/conformance/sandbox', 'toolwright/conformance/store'].map((path) => import(path)));
      const { name } = createRequire(process.cwd() + '/')('toolwright/package.json');
      console.log(JSON.stringify([Object.keys(main).sort(), Object.keys(sandbox), Object.keys(store), name]));`),
  ).toEqual([
    [
      'DEFAULT_LIMITS',
      'DEFAULT_TASK_LIMITS',
      'SKILL_LIMITS',
      'ToolwrightError',
      'createTasks',
      'createToolwright',
      'dockerSandbox',
      'jailSandbox',
      'microsandboxSandbox',
      'openModels',
      'pyodideSandbox',
      'quickjsSandbox',
      'scriptedModel',
    ],
    expect.arrayContaining(['casesFor', 'runConformanceCase']),
    ['runStoreCase', 'storeCases'],
    'toolwright',
  ]);
});

test('without the client library of the container engine, it is told how to install it', async () => {
  const alone = mkdtempSync(join(tmpdir(), 'package-'));
  cpSync(join(root, 'dist'), join(alone, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(alone, 'package.json'));
  const module = JSON.stringify(pathToFileURL(join(alone, 'dist/sandboxes/docker.js')).href);
  expect(
    use(`const { probeDocker } = await import(${module}); console.log(JSON.stringify(await probeDocker()))`),
  ).toEqual({
    available: false,
    reason: 'the client library of the engine is not installed',
    fix: 'run: npm install docker-modem',
  });
});

test('without the client library of Redis, it is told how to install it', async () => {
  const alone = mkdtempSync(join(tmpdir(), 'package-'));
  cpSync(join(root, 'dist'), join(alone, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(alone, 'package.json'));
  const module = JSON.stringify(pathToFileURL(join(alone, 'dist/stores/redis.js')).href);
  expect(
    use(`const { redisStore } = await import(${module});
      const { code, message } = await redisStore({ url: 'redis://127.0.0.1:1' }).get('a', ['a']).catch((error) => error);
      console.log(JSON.stringify([code, message]))`),
  ).toEqual([
    'STORE_UNAVAILABLE',
    'The Redis store needs the package ioredis, which is not installed. Run: npm install ioredis',
  ]);
});

test.runIf(process.getBuiltinModule('node:sqlite') === undefined)(
  'without the native part of libsql, the error of the SQLite store says how to install it',
  () => {
    const alone = mkdtempSync(join(tmpdir(), 'package-'));
    cpSync(join(root, 'dist'), join(alone, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(alone, 'package.json'));
    const module = JSON.stringify(pathToFileURL(join(alone, 'dist/stores/sqlite-driver.js')).href);
    expect(
      use(`const { openDatabase } = await import(${module});
        try { openDatabase(':memory:'); } catch ({ code, message }) { console.log(JSON.stringify([code, message])); }`),
    ).toEqual([
      'STORE_UNAVAILABLE',
      expect.stringMatching(/needs Node 22\.13 or later, or the package (@libsql\/[\w-]+),.* Run: npm install \1$/),
    ]);
  },
);

test('without a TypeScript compiler, the type check says how to install it', () => {
  const compilerIn = (folder: string) => {
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    const module = JSON.stringify(pathToFileURL(join(folder, 'dist/checkers/typescript/connection.js')).href);
    return use(`const { findCompiler } = await import(${module});
      try { findCompiler(); } catch ({ message }) { console.log(JSON.stringify(message)); }`);
  };
  const alone = mkdtempSync(join(tmpdir(), 'package-'));
  const { typescript } = manifest.devDependencies;
  const needs = `the type check needs the package typescript ${typescript}`;
  expect(compilerIn(alone)).toBe(`${needs}; it is not installed. Run: npm install typescript@${typescript}`);
  mkdirSync(join(alone, 'node_modules/typescript'), { recursive: true });
  writeFileSync(join(alone, 'node_modules/typescript/package.json'), '{"name":"typescript","version":"5.9.3"}');
  expect(compilerIn(alone)).toBe(
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
])('without the package of the provider %s, it is told how to install it', (file, call, name) => {
  const alone = mkdtempSync(join(tmpdir(), 'package-'));
  cpSync(join(root, 'dist'), join(alone, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(alone, 'package.json'));
  const module = JSON.stringify(pathToFileURL(join(alone, `dist/models/${file}.js`)).href);
  expect(
    use(`const models = await import(${module});
      const { code, message } = await models.${call}.catch((error) => error);
      console.log(JSON.stringify([code, message]))`),
  ).toEqual(['CONFIG_INVALID', `The model needs the packages ai and ${name}. Run: npm install ai ${name}`]);
});

test('the command can be run', () => {
  const cli = join(root, manifest.bin.toolwright);
  expect([readFileSync(cli, 'utf8').split('\n')[0], statSync(cli).mode & 0o111]).toEqual([
    '#!/usr/bin/env node',
    0o111,
  ]);
  const { status, stdout } = spawnSync(cli, ['--version'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, `${manifest.version}\n`]);
});

test('importing it starts no process and keeps none alive', () => {
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

test('no module of the entry imports the tokenizer or an engine before it is used', () => {
  const eager = new Set<string>();
  const packages = new Set<string>();
  const walk = (path: string): void => {
    if (eager.has(path)) return;
    eager.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, target = ''] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm)) {
      if (target.startsWith('.')) walk(join(path, '..', target));
      else if (!target.startsWith('node:'))
        packages.add(
          target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
  };
  walk(join(root, 'dist/index.js'));
  const heavy = ['libsql', 'quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync', 'typescript'];
  expect(heavy.filter((name) => packages.has(name))).toEqual([]);
  expect([...eager].filter((path) => path.endsWith('/tools/tokenizer.js'))).toEqual([]);
  expect([...packages].filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([]);
});
