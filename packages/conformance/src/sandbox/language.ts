import { GUEST_NAMES } from '@toolwright/sandbox/internal';
import { completesWith, failsWith, type SandboxCase } from './case.ts';

/** The language of programs, and the ways to give a result. */
export const LANGUAGE_CASES: readonly SandboxCase[] = [
  completesWith(
    'api',
    'every name of the API exists',
    {
      typescript: `return ${JSON.stringify(GUEST_NAMES.typescript)}.filter((name) => !(name in globalThis))`,
      python: `import builtins\n[name for name in ${JSON.stringify(GUEST_NAMES.python)} if not hasattr(builtins, name)]`,
    },
    [],
  ),
  completesWith('api', 'return sets the result', { typescript: 'return 1 + 1', python: 'return 1 + 1' }, 2),
  completesWith(
    'api',
    'the last expression is the result',
    { typescript: 'const a = 20;\na * 2 + 2', python: 'a = 20\na * 2 + 2' },
    42,
  ),
  completesWith(
    'api',
    'the last expression with await is the result',
    {
      typescript: 'const a = 1;\nawait Promise.resolve(a + 1)',
      python: `import asyncio
await asyncio.sleep(0, 2)`,
    },
    2,
  ),
  completesWith('api', 'export default sets the result', 'export default { a: [1, 2] }', { a: [1, 2] }),
  completesWith('api', 'export default of a function returns its result', 'export default async () => 7', 7),
  completesWith(
    'api',
    'a named default function returns its result',
    'export default async function main() { return 8 }',
    8,
  ),
  completesWith('api', 'a function as the result is called', 'const main = async () => 9;\nreturn main', 9),
  completesWith(
    'api',
    'a program without a result returns undefined',
    { typescript: 'const a = 1;', python: 'a = 1' },
    undefined,
  ),
  completesWith('api', 'null is a result', { typescript: 'return null', python: 'return None' }, null),
  completesWith(
    'api',
    'a promise as the result is awaited',
    {
      typescript: 'return new Promise((resolve) => setTimeout(() => resolve("late"), 5))',
      python: `async def main():
    await sleep(0.005)
    return "late"
result = main()`,
    },
    'late',
  ),
  completesWith(
    'api',
    'a Markdown fence around a program is removed',
    {
      typescript: '```ts\nconst a: number = 3;\nreturn a;\n```',
      python: `\`\`\`python
a: int = 3
a
\`\`\``,
    },
    3,
  ),
  completesWith('api', 'an empty program completes', { typescript: '', python: '' }, undefined),
  completesWith(
    'api',
    'types are accepted and have no effect',
    `interface Row<T> { readonly id: T; tags?: string[] }
type Id = Row<number>['id'];
const first = <T,>(rows: readonly Row<T>[]): T | undefined => rows[0]?.id;
const rows = [{ id: 4 as Id }] satisfies Row<number>[];
return first(rows)!;`,
    4,
  ),
  completesWith(
    'api',
    'enums and parameter properties work',
    `enum Color { Red = 1, Green }
class Point { constructor(readonly x: number, private y: number) {} sum() { return this.x + this.y } }
return [Color.Green, Color[1], new Point(1, 2).sum()];`,
    [2, 'Red', 3],
  ),
  completesWith(
    'api',
    'type imports are removed',
    "import type { Input } from './servers/tools/index.js';\nconst x: Input | number = 1;\nreturn x",
    1,
  ),
  completesWith(
    'api',
    'modern syntax is supported',
    `const { a, ...rest } = { a: 1, b: 2, c: 3 };
async function* numbers() { yield 1; yield 2 }
let sum = 0;
for await (const n of numbers()) sum += n;
class Box { #value = 5; static { Box.made = true } static made = false; get value() { return this.#value } }
return [a, rest, sum, new Box().value, [3, 1, 2].toSorted(), [1, 2].at(-1), Object.groupBy ? 1 : 1, null ?? 'x', 2n ** 64n > 1n, 'a-b'.replaceAll('-', '+')];`,
    [1, { b: 2, c: 3 }, 3, 5, [1, 2, 3], 2, 1, 'x', true, 'a+b'],
  ),
  completesWith(
    'api',
    'Map and Set keep their content in the result',
    {
      typescript: 'return { map: new Map([["a", 1]]), set: new Set([1, 2]) }',
      python: `import collections
{"map": collections.OrderedDict(a=1), "set": {2, 1}}`,
    },
    {
      map: { a: 1 },
      set: [1, 2],
    },
  ),
  completesWith('api', 'dates and errors have a JSON form', 'return [new Date(0), new RangeError("far")]', [
    '1970-01-01T00:00:00.000Z',
    { name: 'RangeError', message: 'far' },
  ]),
  completesWith(
    'api',
    'the common web APIs are available',
    `const bytes = new TextEncoder().encode('é€😀');
return [
  new TextDecoder().decode(bytes), bytes.length, atob(btoa('abc')), new URL('../b?x=1#h', 'https://example.com/a/c').href,
  new URLSearchParams({ a: '1 2' }).toString(), structuredClone({ a: [1] }), typeof crypto.randomUUID(), performance.now() >= 0,
];`,
    ['é€😀', 9, 'abc', 'https://example.com/b?x=1#h', 'a=1+2', { a: [1] }, 'string', true],
  ),
  failsWith(
    'errors',
    'a syntax error has a line and a column',
    {
      typescript: 'const a = 1;\nconst b = ;\n',
      python: `a = 1
longer1 = = 2
`,
    },
    {
      kind: 'user',
      code: 'SYNTAX',
      name: 'SyntaxError',
      line: 2,
      column: 11,
    },
  ),
  failsWith('errors', 'a syntax error in TypeScript has a line', 'const a: number = 1;\nconst b: = 2;\n', {
    code: 'SYNTAX',
    line: 2,
  }),
  failsWith(
    'errors',
    'a source over the limit is refused',
    {
      typescript: `// ${'x'.repeat(300)}`,
      python:
        '# xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    },
    { code: 'SOURCE_TOO_LARGE', message: /limit is 200/ },
    { sourceBytes: 200 },
  ),
];
