import { afterAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import type { GuestOutcome } from '../bridge/protocol.ts';
import { quickjsSandbox } from '../sandboxes/quickjs.ts';
import { authorFrames } from './author-frames.ts';
import { typescriptLanguage } from './typescript.ts';

const language = typescriptLanguage();
const sandbox = quickjsSandbox();
const limits = { timeoutMs: 10_000, memoryBytes: 128 * 1024 * 1024, messageBytes: 1024 * 1024 };
const bridge = { request: async () => ({ ok: true, payload: '"export const x = 7"' }), notice: () => undefined };

afterAll(() => sandbox[Symbol.asyncDispose]());

async function outcomeOf(source: string): Promise<GuestOutcome> {
  const { guest, code } = await language.prepare(source);
  return sandbox.run({ guest, code, seed: 1, epochMs: Date.now() }, { bridge, limits });
}

async function dataOf(source: string): Promise<unknown> {
  const outcome = await outcomeOf(source);
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  return outcome.value === undefined ? undefined : JSON.parse(outcome.value);
}

test('type arguments with a name of the language are no comparison', async () => {
  expect(await dataOf('const f = (x) => x; return [f<any>(1), f<unknown>(2)];')).toEqual([1, 2]);
  // Plain JavaScript still compares twice.
  expect(await dataOf('const a = 1, b = 2; return a<b>(0);')).toBe(true);
});

/** Returns the position of a program's error in the author's source. */
async function placeOf(source: string): Promise<unknown> {
  const prepared = await language.prepare(source);
  const outcome = await sandbox.run({ ...prepared, seed: 1, epochMs: Date.now() }, { bridge, limits });
  if (outcome.status !== 'failed') throw new Error(JSON.stringify(outcome));
  const position = authorFrames(outcome.error.stack, prepared)[0]?.position;
  return position && [position.line, position.column];
}

describe('a program returns', () => {
  test.each<[string, string, unknown]>([
    ['nothing when it is empty', '', undefined],
    ['nothing when it is only space', ' \n\t', undefined],
    ['nothing when it is only comments', '// a\n/* b */', undefined],
    ['what it returns', 'return 1', 1],
    ['its last expression before a comment', '41 + 1 // the answer', 42],
    ['its last expression, not the return of a function in it', 'const f = () => { return 2 };\nf() + 1', 3],
    ['its last expression over many lines', '[1, 2]\n  .map((x) => x * 2)\n  // keep\n  .filter(Boolean)', [2, 4]],
    ['an object in parentheses', '({ a: 1 })', { a: 1 }],
    ['a text that looks like a directive', '"hello"', 'hello'],
    ['an early return rather than the last expression', 'if (true) return 1;\n2', 1],
    ['its default export', 'export default { a: await Promise.resolve(1) }', { a: 1 }],
    ['what its default function returns', 'export default async function main() { return 5 }', 5],
    ['what its nameless default function returns', 'export default function () { return 5 }\n[1].map(String)', 5],
    ['what it exports as default', 'const a = 1; export { a as default };', 1],
    ['what a last function returns', 'async () => 6', 6],
    ['the value of a declared constant', 'export const a = 1;\nexport { a };\na', 1],
  ])('%s', async (_name, source, value) => {
    expect(await dataOf(source)).toEqual(value);
  });
});

describe('TypeScript', () => {
  test.each<[string, string, unknown]>([
    ['enums', 'enum A { x = 1, y }\nreturn [A.y, A[1]]', [2, 'x']],
    ['constant enums', 'const enum A { x = 3 }\nA.x', 3],
    ['generics', 'const f = <T,>(x: T): T[] => [x];\nf<number>(3)', [3]],
    ['satisfies', 'const a = { b: 1 } satisfies Record<string, number>;\na.b', 1],
    ['satisfies in the last expression', '({ b: 1 }) satisfies Record<string, number>', { b: 1 }],
    ['classes', 'class A { constructor(private x: number) {} get y(): number { return this.x } }\nnew A(4).y', 4],
    ['decorators', 'const d = (v: any, _c: any) => class extends v { x = 5 };\n@d class A {}\n(new A() as any).x', 5],
    [
      'the name of a decorated class',
      'const d = (v: any, _c: any) => v;\nclass A { @d m() {} static self = A }\nA.name',
      'A',
    ],
    [
      'using',
      'const s: string[] = [];\n{ using x = { [Symbol.dispose]() { s.push("end") } }; s.push(typeof x) }\ns',
      ['object', 'end'],
    ],
    ['imports of types', "import type { X } from './gone';\nconst a: X = 1;\na", 1],
    ['imports with types among them', "import { type X, x } from '/workspace/x.js';\nconst a: X = x;\na", 7],
    [
      'declarations without values',
      'declare const a: number;\ndeclare global { interface B {} }\ninterface C {}\ntype D = C;\n1',
      1,
    ],
  ])('%s', async (_name, source, value) => {
    expect(await dataOf(source)).toEqual(value);
  });
});

describe('JavaScript that engines do not support yet', () => {
  test.each<[string, string, unknown]>([
    ['decorators', 'const d = (v) => class extends v { x = 5 };\n@d class A {}\nnew A().x', 5],
    ['using', 'const s = [];\n{ using x = { [Symbol.dispose]() { s.push("end") } } }\ns', ['end']],
    [
      'await using',
      'const s = [];\n{ await using x = { async [Symbol.asyncDispose]() { s.push("end") } } }\ns',
      ['end'],
    ],
    ['accessor', 'class A { accessor x = 4 }\nnew A().x', 4],
    ['the name of a class with accessors', 'class A { accessor x = 4; static self = A }\nA.name', 'A'],
  ])('%s', async (_name, source, value) => {
    expect(await dataOf(source)).toEqual(value);
  });
});

describe('the form of the source', () => {
  test.each<[string, string]>([
    ['inside a fence', '```ts\nconst a: number = 1;\na + 1\n```'],
    ['inside a fence with CRLF', '```ts\r\nconst a: number = 1;\r\na + 1\r\n```\r\n'],
    ['inside a fence with a capital', '```TypeScript\n2\n```'],
    ['inside a fence with attributes', '\n```ts title="a.ts"\n2\n```\n'],
    ['inside a fence without a language', '```\n2\n```'],
    ['with CRLF', 'const a = 1;\r\na +\r\n  1\r\n'],
    ['with a byte order mark', '\uFEFFconst a = 1;\na + 1'],
    ['with a byte order mark and types', '\uFEFFconst a: number = 1;\na + 1'],
    ['with a shebang', '#!/usr/bin/env node\n2'],
    ['with a shebang and types', '#!/usr/bin/env -S npx tsx\nconst a: number = 2;\na'],
    ['with names of other alphabets', 'const größe = 1; const 変数: string = "😀𝒳";\ngröße + 変数.length / 4'],
  ])('%s', async (_name, source) => {
    expect(await dataOf(source)).toBe(2);
  });

  test('a fence inside a template literal is text', async () => {
    const inner = 'const s = `\n\\`\\`\\`ts\n1\n\\`\\`\\`\n`;\ns';
    const text = '\n```ts\n1\n```\n';
    expect([await dataOf(inner), await dataOf(`\`\`\`js\n${inner}\n\`\`\``)]).toEqual([text, text]);
  });
});

describe('the position of an error', () => {
  test.each<[string, string, [number, number]]>([
    ['in JavaScript', "const a = 1;\n  throw new Error('x')", [2, 18]],
    ['in TypeScript', "const a: number = 1;\ninterface B {\n  c: string;\n}\n  throw new Error('x')", [5, 13]],
    ['in the last expression', 'const f = {};\nf.g()', [2, 4]],
    ['in the last expression, further on', 'const f = {};\n[1].map(() => f.g())', [2, 18]],
    ['in a later line of the last expression', 'const f = {};\n[1]\n  .map(() => f.g())', [3, 17]],
    ['in a last expression that stands behind something', 'const f = {}; f.g()', [1, 18]],
    ['behind imports', "import {\n  x,\n} from '/workspace/x.js';\nx();", [4, 2]],
    ['inside a fence', "```ts\nconst a = 1;\nthrow new Error('x')\n```", [3, 16]],
    ['with CRLF', "const a = 1;\r\nthrow new Error('x')", [2, 16]],
  ])('%s', async (_name, source, place) => {
    expect(await placeOf(source)).toEqual(place);
  });

  test('is unknown for code that is not the author’s', async () => {
    const prepared = await language.prepare('1');
    expect([prepared.position(1, 1), prepared.position(2, 1)]).toEqual([undefined, { line: 1, column: 1 }]);
  });
});

describe('a program that cannot be prepared', () => {
  test.each<[string, string, unknown]>([
    ['does not parse', 'const a = 1;\nconst b = (;', { line: 2, column: 12 }],
    ['does not parse as TypeScript', 'const a: number = 1;\nconst b: = 2;', { line: 2, column: 10 }],
    ['does not parse inside a fence', '```ts\n1 +\n```', { line: 2, column: 4 }],
    ['assigns an import that only CommonJS has', 'import fs = require("fs");\n1', { line: 1, column: 8 }],
  ])('%s', async (_name, source, details) => {
    const failure = await failureOf(language.prepare(source));
    expect([failure.code, failure.details]).toEqual(['SYNTAX', details]);
  });
});

describe('a module', () => {
  test('keeps its exports and loses its types', async () => {
    const code = await language.prepareModule(
      'export const a: number = 1;\nexport type B = string;\n',
      '/workspace/a.ts',
    );
    expect(code).toBe('const a = 1;\nexport {\n  a\n};\n');
  });

  test('that does not parse is reported with its path and the position', async () => {
    const failure = await failureOf(language.prepareModule('\nexport const = 1', '/workspace/a.ts'));
    expect([failure.code, failure.message]).toEqual([
      'SYNTAX',
      'Expected identifier but found "=" at line 2, column 14 of /workspace/a.ts',
    ]);
  });
});
