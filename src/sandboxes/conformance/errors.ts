import assert from 'node:assert/strict';
import { type ConformanceCase, errorOf, fails } from './case.ts';

/** What a program's author learns of a mistake. */
export const ERROR_CASES: readonly ConformanceCase[] = [
  fails('errors', 'an error has its place in plain JavaScript', "const a = 1;\n\n  throw new RangeError('far')", {
    kind: 'guest',
    code: 'GUEST_ERROR',
    name: 'RangeError',
    message: 'far',
    line: 3,
  }),
  fails(
    'errors',
    'an error has its place in TypeScript',
    "interface A {\n  a: string;\n}\nconst a: A = { a: 'x' };\nthrow new Error(a.a);",
    { name: 'Error', message: 'x', line: 5 },
  ),
  fails('errors', 'a type error points at the expression', 'const user = {};\nconst x = user.address.city;', {
    name: 'TypeError',
    line: 2,
  }),
  {
    area: 'errors',
    name: 'an error in a nested async function shows its callers',
    programs: {
      typescript: `async function inner() {
  await sleep(1);
  throw new Error('deep');
}
async function outer() {
  return inner();
}
await outer();`,
    },
    check({ result }) {
      const error = errorOf(result);
      assert.deepEqual([error.message, error.line], ['deep', 3]);
      assert.match(error.stack ?? '', /inner line 3/);
    },
  },
  fails('errors', 'the cause of an error is told', "throw new Error('outer', { cause: new Error('inner') })", {
    message: /outer \(cause: Error: inner\)/,
  }),
  fails('errors', 'a thrown text is an error', "throw 'just text'", { kind: 'guest', message: /just text/ }),
  fails('errors', 'a thrown object is an error', 'throw { code: 42 }', { kind: 'guest', message: /"code":42/ }),
  fails('errors', 'a thrown undefined is an error', 'throw undefined', { kind: 'guest', message: /undefined/ }),
  fails('errors', 'a rejected promise as the result is an error', "return Promise.reject(new Error('no'))", {
    message: 'no',
  }),
  {
    area: 'errors',
    name: 'a rejected promise that nobody awaits does not end the program',
    programs: { typescript: "Promise.reject(new Error('ignored')); await sleep(5); return 'fine'" },
    check: ({ result }) => assert.equal(result.status, 'completed'),
  },
  fails('errors', 'fetch is explained', "await fetch('https://example.com')", {
    name: 'ReferenceError',
    hint: /callMCPTool/,
    line: 1,
  }),
  fails('errors', 'require is explained', "const x = require('fs')", { name: 'ReferenceError', hint: /no require/ }),
  fails('errors', 'process is explained', 'return process.env', { hint: /no process/ }),
  fails('errors', 'a misspelt name of the API is answered with a suggestion', 'await callMCPtool("tools__add", {})', {
    hint: /Did you mean callMCPTool/,
  }),
  fails(
    'errors',
    'a misspelt function of a server is answered with a suggestion',
    "import * as tools from './servers/tools/index.js';\nawait tools.echoo({ value: 1 });",
    { name: 'TypeError', line: 2, hint: /Did you mean echo/ },
  ),
  fails('errors', 'a result without a JSON form is refused', 'return Symbol("x")', { code: 'RESULT_NOT_JSON' }),
  fails('errors', 'a cyclic result is refused', 'const a = {}; a.a = a; return a', { code: 'RESULT_NOT_JSON' }),
  fails('errors', 'a BigInt in the result is explained', 'return { n: 1n }', {
    code: 'RESULT_NOT_JSON',
    message: /String\(value\)/,
  }),
  fails('errors', 'a promise that nothing resolves is noticed', 'await new Promise(() => {})', {
    code: 'NEVER_SETTLES',
    kind: 'guest',
  }),
  fails(
    'errors',
    'a program cannot give its error a code of the host',
    "const e = new Error('x'); e.code = 'SANDBOX_LOST'; throw e",
    {
      kind: 'guest',
    },
  ),
  {
    area: 'errors',
    name: 'the text of an error is bounded',
    programs: {
      typescript:
        "const e = new Error('y'.repeat(2e6)); e.name = 'n'.repeat(1e6); e.stack = '\\n'.repeat(2e6); throw e",
    },
    check: ({ result }) => assert.ok(JSON.stringify(errorOf(result)).length < 20_000),
  },
];
