import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { positionAt } from './parse.ts';
import { readShape } from './shape.ts';

const shapeOf = (source: string) => {
  const { lastExpression, ...shape } = readShape(source);
  return { ...shape, last: lastExpression && source.slice(lastExpression.start, lastExpression.end) };
};

describe('imports', () => {
  test.each([
    ["import { a } from './x.js'", "import { a } from './x.js'"],
    ["import {\n  a, // first\n  /* second\n */ b,\n} from './x.js'", "import { a, b, } from './x.js'"],
    ["import x from 'https://example.com/x.js'", "import x from 'https://example.com/x.js'"],
    ["import './a//b.js'", "import './a//b.js'"],
    ['import * as n from "./it\'s.js"', 'import * as n from "./it\'s.js"'],
  ])('%j becomes one line, without comments', (source, expected) => {
    expect(shapeOf(`${source};\n1`).imports).toEqual([`${expected};`]);
  });

  test('only names of namespace imports are recorded', () => {
    const { namespaces } = readShape("import * as a from './a';\nimport b, { c } from './b';\na");
    expect([...namespaces]).toEqual([
      ['a', './a'],
      ['b', './b'],
    ]);
  });

  test('removed code leaves its line breaks', () => {
    const source = "import {\r\n  a,\r\n} from './a';\r\nexport const b = a;";
    const cut = readShape(source).edits.map(({ start, end, text }) => [source.slice(start, end), text]);
    expect(cut).toEqual([
      ["import {\r\n  a,\r\n} from './a';", '        \r\n    \r\n             '],
      ['export ', '       '],
    ]);
  });
});

describe('the result', () => {
  test.each([
    ['41 + 1 // why', '41 + 1'],
    ['const a = 1;\n[a]\n  .map(String)\n  .join()', '[a]\n  .map(String)\n  .join()'],
    ['({ a: 1 });', '({ a: 1 })'],
    ['"text"', '"text"'],
    ['const a: number = 1;\na as unknown', 'a as unknown'],
    ['const a = 1', undefined],
    ['if (true) { 1 }', undefined],
    ['1;\nexport default 2', undefined],
    ['1;\nfunction f() {}', undefined],
    ['', undefined],
    ['// nothing', undefined],
  ])('of %j is its last expression %j', (source, last) => {
    expect(shapeOf(source).last).toBe(last);
  });

  test.each([
    ['export default async function main() {}', 'main'],
    ['export default class A {}', 'A'],
    ['const a = 1; export { a as default };', 'a'],
    ['export default function () {}', undefined],
    ['export default 1', undefined],
    ["export { default } from './a.js';", undefined],
  ])('of %j has the name %j', (source, name) => {
    expect(readShape(source).defaultName).toBe(name);
  });
});

test.each([
  ['const a = 1', 'javascript'],
  ['const a: number = 1', 'typescript'],
  ['enum A { b }', 'typescript'],
  ['const mail = "a@b.c"', 'newer'],
  ['using a = b()', 'newer'],
  ['@d class A {}', 'newer'],
  ['class A { accessor b = 1 }', 'newer'],
])('%j is %s', (source, dialect) => {
  expect(readShape(source).dialect).toBe(dialect);
});

describe('a syntax error', () => {
  test.each([
    ['const a = ;', 1, 11, 'const a = ;'],
    ['const a = 1;\n\n  return a +;', 3, 13, 'return a +;'],
    ['const 変数 = "😀" +;', 1, 18, 'const 変数 = "😀" +;'],
    ['const a: = 1', 1, 10, 'const a: = 1'],
    ['if (true) {\n  f(1', 2, 6, 'f(1'],
  ])('%j is reported with line %i, column %i and its text', async (source, line, column, text) => {
    const failure = await failureOf(Promise.resolve().then(() => readShape(source)));
    expect([failure.code, failure.details]).toEqual(['SYNTAX', { line, column }]);
    expect(failure.message).toContain(`at line ${line}, column ${column}: ${text}`);
  });

  test.each(['namespace N { export const a = 1 }', 'export namespace N {}'])('%j names the alternative', (source) => {
    expect(() => readShape(`1;\n${source}`)).toThrow(
      'Namespaces are not supported, use an object or a module, at line 2, column 1.',
    );
  });

  test('declarations of modules and globals are only types', () => {
    const source = "declare module 'x' { }\ndeclare global { interface A {} }\n1";
    expect(readShape(source).edits.map(({ text }) => text.trim())).toEqual(['', '']);
  });
});

test('positions count from 1, after any line break', () => {
  expect([0, 1, 2, 4].map((offset) => positionAt('a\r\nbc', offset))).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 1, column: 3 },
    { line: 2, column: 2 },
  ]);
});
