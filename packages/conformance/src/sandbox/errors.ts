import assert from 'node:assert/strict';
import { errorOf, failsWith, type SandboxCase } from './case.ts';

/** The errors that the author of a program receives. */
export const ERROR_CASES: readonly SandboxCase[] = [
  failsWith(
    'errors',
    'an error has its position in plain JavaScript',
    {
      typescript: "const a = 1;\n\n  throw new RangeError('far')",
      python: `a = 1

raise ValueError("far")`,
    },
    {
      kind: 'user',
      code: 'GUEST_ERROR',
      name: /^(Range|Value)Error$/,
      message: 'far',
      line: 3,
    },
  ),
  failsWith(
    'errors',
    'an error has its position in TypeScript',
    "interface A {\n  a: string;\n}\nconst a: A = { a: 'x' };\nthrow new Error(a.a);",
    { name: 'Error', message: 'x', line: 5 },
  ),
  failsWith(
    'errors',
    'a type error points at the expression',
    {
      typescript: 'const user = {};\nconst x = user.address.city;',
      python: `user = None
x = user["address"]`,
    },
    {
      name: 'TypeError',
      line: 2,
    },
  ),
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
      python: `async def inner():
    await sleep(0.001)
    raise ValueError("deep")
async def outer():
    return await inner()
await outer()`,
    },
    check({ result }) {
      const error = errorOf(result);
      assert.deepEqual([error.message, error.line], ['deep', 3]);
      assert.match(error.stack ?? '', /inner line 3/);
    },
  },
  failsWith(
    'errors',
    'the cause of an error is reported',
    {
      typescript: "throw new Error('outer', { cause: new Error('inner') })",
      python: 'raise ValueError("outer") from ValueError("inner")',
    },
    {
      message: /outer \(cause: (Value)?Error: inner\)/,
    },
  ),
  failsWith('errors', 'a thrown text is an error', "throw 'just text'", { kind: 'user', message: /just text/ }),
  failsWith('errors', 'a thrown object is an error', 'throw { code: 42 }', { kind: 'user', message: /"code":42/ }),
  failsWith('errors', 'a thrown undefined is an error', 'throw undefined', { kind: 'user', message: /undefined/ }),
  failsWith(
    'errors',
    'a rejected promise as the result is an error',
    {
      typescript: "return Promise.reject(new Error('no'))",
      python: `async def main():
    raise ValueError("no")
return main()`,
    },
    {
      message: 'no',
    },
  ),
  {
    area: 'errors',
    name: 'a rejected promise that the program does not await does not end the program',
    programs: {
      typescript: "Promise.reject(new Error('ignored')); await sleep(5); return 'fine'",
      python: `import asyncio
async def failsWith():
    raise ValueError("ignored")
task = asyncio.create_task(failsWith())
await asyncio.sleep(0.005)
return "fine"`,
    },
    check: ({ result }) => assert.equal(result.status, 'completed'),
  },
  failsWith('errors', 'fetch is explained', "await fetch('https://example.com')", {
    name: 'ReferenceError',
    hint: /callMCPTool/,
    line: 1,
  }),
  failsWith('errors', 'require of a computed name is explained', "const name = 'fs'; return require(name)", {
    name: 'ReferenceError',
    hint: /as a literal/,
  }),
  failsWith('errors', 'process is explained', 'return process.env', { hint: /no process/ }),
  failsWith(
    'errors',
    'a misspelt name of the API gets a suggestion',
    { typescript: 'await callMCPtool("tools__add", {})', python: 'await call_mcp_tol("tools__add", {})' },
    {
      hint: /(?:Did you mean|Write await) (?:callMCPTool|call_mcp_tool|servers\.tools\.add)/,
    },
  ),
  failsWith(
    'errors',
    'a misspelt function of a server gets a suggestion',
    {
      typescript: "import * as tools from './servers/tools/index.js';\nawait tools.echoo({ value: 1 });",
      python: `from servers import tools
await tools.echoo(value=1)`,
    },
    { name: /^(Type|Attribute)Error$/, line: 2, hint: /Did you mean echo/ },
  ),
  failsWith(
    'errors',
    'a result without a JSON form is refused',
    { typescript: 'return Symbol("x")', python: 'return object()' },
    { code: 'RESULT_NOT_JSON' },
  ),
  failsWith(
    'errors',
    'a cyclic result is refused',
    {
      typescript: 'const a = {}; a.a = a; return a',
      python: `a = {}
a["a"] = a
a`,
    },
    { code: 'RESULT_NOT_JSON' },
  ),
  failsWith(
    'errors',
    'a promise that never settles is detected',
    {
      typescript: 'await new Promise(() => {})',
      python: `import asyncio
await asyncio.Event().wait()`,
    },
    {
      code: 'NEVER_SETTLES',
      kind: 'user',
    },
  ),
  failsWith(
    'errors',
    'a program cannot use an error code of the host',
    {
      typescript: "const e = new Error('x'); e.code = 'SANDBOX_LOST'; throw e",
      python: `error = ValueError("x")
error.code = "SANDBOX_LOST"
raise error`,
    },
    {
      kind: 'user',
    },
  ),
  {
    area: 'errors',
    name: 'the text of an error is bounded',
    programs: {
      typescript:
        "const e = new Error('y'.repeat(2e6)); e.name = 'n'.repeat(1e6); e.stack = '\\n'.repeat(2e6); throw e",
      python: `class Long(Exception):
    pass
Long.__name__ = "n" * 1_000_000
raise Long("y" * 2_000_000)`,
    },
    check: ({ result }) => assert.ok(JSON.stringify(errorOf(result)).length < 20_000),
  },
];
