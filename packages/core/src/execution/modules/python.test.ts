import { inlineConnector } from '@toolwright/connectors';
import { expect, test } from 'vitest';
import { bridgeHostFixture } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import type { Language } from '../../../../sandbox/src/languages/language.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { createModuleLoader } from './loader.ts';

const python: Language = {
  name: 'python',
  guest: 'python',
  prepare: () => Promise.reject(new Error('not needed here')),
  prepareModule: async (source, path) => `${source}# ${path}`,
  watched: () => Promise.reject(new Error('not needed here')),
  names: () => Promise.reject(new Error('not needed here')),
  functions: async () => [],
  forTenant: () => python,
  moduleOf: () => Promise.reject(new Error('not needed here')),
};
const { files } = bridgeHostFixture({}).options.guestFiles();
const tools = { add: { run: () => 1 } };
const servers = ['github', 'My Files', 'class'];
const catalog = createCatalog({ connectors: servers.map((name) => inlineConnector(name, { tools })) }).forUser('local');
const load = createModuleLoader({ catalog, files, language: python, advice: () => '', maxBytes: 1_000 });
const write = async (path: string, text: string) => {
  await files.makeFolder(path.replace(/\/[^/]*$/, ''), true);
  await files.write(path, Buffer.from(text), 'replace');
};

test('a server is a module with a valid Python name', async () => {
  for (const [path, server] of [
    ['/servers/github.py', 'github'],
    ['/servers/github/__init__.py', 'github'],
    ['/servers/my_files.py', 'My Files'],
    ['/servers/class_.py', 'class'],
  ] as const) {
    expect(await load(path)).toContain(`_call("${server}__add"`);
  }
  expect(await load('/servers/__init__.py')).toContain('return ["github", "my_files", "class_"]');
});

test('files of the workspace and of skills are modules, and their folders packages', async () => {
  await write('/workspace/lib.py', 'a = 1\n');
  await write('/workspace/pkg/__init__.py', 'b = 2\n');
  await write('/workspace/plain/inner.py', 'c = 3\n');
  expect(
    await Promise.all(
      ['lib.py', 'pkg/__init__.py', 'plain/__init__.py', 'plain/inner.py', '__init__.py'].map((path) =>
        load(`/workspace/${path}`),
      ),
    ),
  ).toEqual([
    'a = 1\n# /workspace/lib.py',
    'b = 2\n# /workspace/pkg/__init__.py',
    '',
    'c = 3\n# /workspace/plain/inner.py',
    '',
  ]);
});

test('a skill is imported under a valid Python name', async () => {
  await write('/skills/filter-high-risk/__init__.py', 'd = 4\n');
  await write('/skills/filter-high-risk/more.py', 'e = 5\n');
  await write('/skills/no-init/code.py', 'f = 6\n');
  await write('/skills/single-file.py', 'g = 7\n');
  await write('/skills/plain_name.py', 'h = 8\n');
  const paths = [
    'filter_high_risk/__init__.py',
    'filter_high_risk/more.py',
    'no_init/__init__.py',
    'no_init/code.py',
    'single_file.py',
    'plain_name.py',
    '__init__.py',
  ];
  expect(await Promise.all(paths.map((path) => load(`/skills/${path}`)))).toEqual([
    'd = 4\n# /skills/filter-high-risk/__init__.py',
    'e = 5\n# /skills/filter-high-risk/more.py',
    '',
    'f = 6\n# /skills/no-init/code.py',
    'g = 7\n# /skills/single-file.py',
    'h = 8\n# /skills/plain_name.py',
    '',
  ]);
});

test.each([
  ['/servers/gihtub.py', `No module named 'servers.gihtub'. Unknown server "gihtub". Did you mean github?`],
  [
    '/servers/my_file/__init__.py',
    `No module named 'servers.my_file'. Unknown server "my_file". Did you mean my_files?`,
  ],
  [
    '/servers/zebra.py',
    `No module named 'servers.zebra'. Unknown server "zebra". The servers are: github, my_files, class_.`,
  ],
])('%s is misspelt', async (path, message) => {
  const failure = await failureOf(load(path));
  expect([failure.code, failure.message]).toEqual(['UNKNOWN_MODULE', message]);
});

test.each([
  ['/workspace/gone.py', 'gone'],
  ['/workspace/gone/__init__.py', 'gone'],
  ['/workspace/lib/__init__.py', 'lib'],
  ['/workspace/pkg/gone.py', 'pkg.gone'],
  ['/workspace/pkg.py', 'pkg'],
  ['/skills/gone/__init__.py', 'skills.gone'],
  ['/skills/filter_high_risk/gone.py', 'skills.filter_high_risk.gone'],
  ['/servers/github/add.py', 'servers.github.add'],
  ['/servers/github/a/b.py', 'servers.github.a.b'],
  ['/etc/passwd.py', 'etc.passwd'],
  ['/workspace/../../etc/passwd', '/workspace/../../etc/passwd'],
  ['/workspace/lib.js', '/workspace/lib.js'],
  ['numpy', 'numpy'],
])('%s is not a module, and the message lists the modules', async (path, name) => {
  const failure = await failureOf(load(path));
  expect([failure.code, failure.message]).toEqual([
    'UNKNOWN_MODULE',
    `No module named '${name}'. A program can import the standard library, servers.<server>, .py files of /workspace, and skills.<skill>. Servers: github, my_files, class_.`,
  ]);
});

test('a file over the limit is not loaded', async () => {
  await write('/workspace/big.py', `# ${'x'.repeat(1_000)}`);
  expect((await failureOf(load('/workspace/big.py'))).details).toEqual({ errno: 'EFBIG' });
});
