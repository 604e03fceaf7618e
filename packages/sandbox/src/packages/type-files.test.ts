import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { textsOf, writeTypes } from './type-files.ts';

async function typesOf(files: Readonly<Record<string, string | object>>, ...specifiers: string[]) {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, 'node_modules', path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, typeof text === 'string' ? text : JSON.stringify(text));
  }
  await writeTypes(folder, folder, specifiers);
  const written = JSON.parse(readFileSync(join(folder, 'types.json'), 'utf8'));
  return specifiers.map((specifier) => {
    const found = textsOf(written, specifier);
    return found && [...found.keys()].map((path) => path.replace('/node_modules/', '')).sort();
  });
}

it('has the declarations that a module refers to, and nothing else of the package', async () => {
  const found = await typesOf(
    {
      'plain/package.json': { name: 'plain', main: 'lib/main.js', types: 'lib/main.d.ts' },
      'plain/lib/main.d.ts': `export * from './part.js'; import type { X } from "other"; /// <reference path="./extra.d.ts" />`,
      'plain/lib/part.d.ts': `export type A = import('./deep').B;`,
      'plain/lib/deep/index.d.ts': 'export type B = 1;',
      'plain/lib/extra.d.ts': '',
      'plain/lib/unused.d.ts': '',
      'other/package.json': { name: 'other', version: '1.0.0' },
      'other/index.d.ts': 'export type X = 1;',
      'plain/node_modules/other/package.json': { name: 'other', version: '2.0.0' },
      'plain/node_modules/other/index.d.ts': 'export type X = 2;',
    },
    'plain',
  );
  expect(found).toEqual([
    [
      'plain/lib/deep/index.d.ts',
      'plain/lib/extra.d.ts',
      'plain/lib/main.d.ts',
      'plain/lib/part.d.ts',
      'plain/node_modules/other/index.d.ts',
      'plain/node_modules/other/package.json',
      'plain/package.json',
    ],
  ]);
});

it('finds types by the conditions of exports, by the name of a script, and in @types; none where there are none', async () => {
  const found = await typesOf(
    {
      'mapped/package.json': {
        exports: {
          '.': { import: { types: './a.d.mts', default: './a.mjs' }, require: './a.cjs' },
          './sub': { import: './sub.mjs' },
          './bare': './bare.js',
        },
      },
      'mapped/a.d.mts': '',
      'mapped/sub.d.mts': '',
      'old/package.json': { main: './dist/old.js' },
      'old/dist/old.d.ts': '',
      'untyped/package.json': { main: 'index.js' },
      '@types/untyped/package.json': {},
      '@types/untyped/index.d.ts': '',
      '@scope/none/package.json': { main: 'index.js' },
    },
    ...['mapped', 'mapped/sub', 'mapped/bare', 'old', 'untyped', '@scope/none'],
  );
  expect(found).toEqual([
    ['mapped/a.d.mts', 'mapped/package.json'],
    ['mapped/package.json', 'mapped/sub.d.mts'],
    undefined,
    ['old/dist/old.d.ts', 'old/package.json'],
    ['@types/untyped/index.d.ts', '@types/untyped/package.json'],
    undefined,
  ]);
});
