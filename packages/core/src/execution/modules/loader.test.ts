import { expect, test } from 'vitest';
import { bridgeHostFixture } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { typescriptLanguage } from '../../../../sandbox/src/languages/typescript.ts';
import { createModuleLoader } from './loader.ts';

const { options } = bridgeHostFixture({ add: { run: () => 1 } });
const { catalog } = options;
const { files } = options.guestFiles();
const load = createModuleLoader({ catalog, files, language: typescriptLanguage(), advice: () => '', maxBytes: 1_000 });
const write = (path: string, text: string) => files.write(path, Buffer.from(text), 'replace');

test('a server has one module for all common spellings of its path', async () => {
  const module = await catalog.module('t');
  const paths = ['/servers/t/index.js', '/servers/t/index.ts', '/servers/t/index', '/servers/t', '/servers/t.js'];
  expect(await Promise.all(paths.map(load))).toEqual(paths.map(() => module));
});

test('files of the workspace and of skills are compiled', async () => {
  await write('/workspace/lib.ts', 'export const a: number = 1;');
  await write('/skills/s.js', 'export const b = 2;');
  const compiled = 'const a = 1;\nexport {\n  a\n};\n';
  expect(await Promise.all(['/workspace/lib.ts', '/workspace/lib.js', '/lib.ts', '/lib.js'].map(load))).toEqual(
    Array(4).fill(compiled),
  );
  expect(await load('/skills/s.js')).toContain('const b = 2');
});

test('an existing file takes precedence over TypeScript of the same name', async () => {
  await write('/workspace/both.ts', 'export const from = "ts";');
  await write('/workspace/both.js', 'export const from = "js";');
  expect(await load('/workspace/both.js')).toContain('"js"');
});

test('a syntax error in a file has its position', async () => {
  await write('/workspace/bad.ts', 'export const = 1;');
  const failure = await failureOf(load('/workspace/bad.js'));
  expect([failure.code, failure.details]).toEqual(['SYNTAX', { line: 1, column: 14 }]);
});

test.each([
  ['/workspace/gone.js', 'FILE_ERROR', /cannot open \/workspace\/gone\.js: no such file/],
  ['/servers/tt/index.js', 'UNKNOWN_SERVER', /Unknown server "tt"\. The servers are: t\./],
])('%s is refused with %s', async (path, code, message) => {
  const failure = await failureOf(load(path));
  expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)]);
});

test.each(['lodash', 'https://esm.sh/zod', '/etc/passwd', '/servers/t/other.js', '/gone.js'])(
  '%s cannot be imported, and the message lists the importable modules',
  async (path) => {
    const failure = await failureOf(load(path));
    expect([failure.code, failure.message]).toEqual([
      'UNKNOWN_MODULE',
      `Cannot import "${path}". A program can import ./servers/<server>/index.js, files of /workspace and /skills, node:fs/promises, and of Node: assert, buffer, crypto, events, os, path, perf_hooks, querystring, readline, stream, string_decoder, timers/promises, url, util and zlib. Servers: t.`,
    ]);
  },
);

test.each(['node:child_process', 'https', 'http2', 'worker_threads', 'node:vm', 'process'])(
  '%s cannot be imported, and the message names a replacement',
  async (path) => {
    const failure = await failureOf(load(path));
    expect(failure.code).toBe('UNKNOWN_MODULE');
    expect(failure.message).toMatch(/^Cannot import "[^"]+"\. A program (?:has|cannot) .*: .+\.$/);
  },
);

test('a file over the limit is not loaded', async () => {
  await write('/workspace/big.js', `// ${'x'.repeat(1_000)}`);
  expect((await failureOf(load('/workspace/big.js'))).details).toEqual({ errno: 'EFBIG' });
});
