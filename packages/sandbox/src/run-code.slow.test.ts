import { afterAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../../test/fixtures/server.ts';
import type { GuestOutcome } from './bridge/protocol.ts';
import { SandboxError } from './errors.ts';
import { type RunCodeOptions, runCode } from './run-code.ts';
import { probePyodide, pyodideSandbox } from './sandboxes/pyodide.ts';
import { quickjsSandbox } from './sandboxes/quickjs.ts';
import type { Sandbox } from './sandboxes/sandbox.ts';

const hasPyodide = (await probePyodide()).available;
const quickjs = quickjsSandbox();
const pyodide = hasPyodide ? await pyodideSandbox() : undefined;
const defects: [string, unknown][] = [];

afterAll(async () => {
  await quickjs[Symbol.asyncDispose]();
  await pyodide?.[Symbol.asyncDispose]();
});

const functions = {
  add: async ({ a, b }: { a: number; b: number }) => a + b,
  echo: (input: unknown) => input,
  nothing: () => undefined,
  refuse: () => {
    throw new Error('There is no customer 7.');
  },
  limited: () => {
    throw new SandboxError('BUSY', 'Try again later.', { details: { seconds: 3 } });
  },
  broken: () => (undefined as unknown as { secret: string }).secret,
  missing: () => {
    throw Object.assign(new Error("ENOENT: no such file or directory, open '/etc/host'"), { syscall: 'open' });
  },
  textual: () => {
    throw 'secret';
  },
  circular: () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  },
  large: () => 'x'.repeat(3_000),
  slow: () => new Promise((resolve) => setTimeout(resolve, 60_000, 1).unref()),
};

const run = (source: string, options: RunCodeOptions = {}) =>
  runCode(source, { functions, sandbox: quickjs, onDefect: (...defect) => defects.push(defect), ...options });

test('runs a program in the default sandbox, and closes it', async () => {
  const result = await runCode<number>('return (await add({ a: 1, b: 2 }))', { functions });
  expect(result).toEqual({ status: 'completed', value: 3, logs: [], droppedLogBytes: 0 });
});

test('a host function may have the name of a global that guests do not have', async () => {
  const fetch = ({ url }: { url: string }) => `fetched ${url}`;
  expect((await run("return await fetch({ url: 'a' })", { functions: { fetch } })).value).toBe('fetched a');
});

describe('a TypeScript program', () => {
  test.each<[string, unknown]>([
    ['const sum: number = await add({ a: 1, b: 2 });\nsum * 2', 6],
    ['return await Promise.all([1, 2, 3].map((a) => add({ a, b: 1 })))', [2, 3, 4]],
    ['return [await nothing(), await nothing({}), typeof add]', [null, null, 'function']],
    [
      "return await echo({ text: 'ü\\u0000', deep: { list: [1, null, true] } })",
      { text: 'ü\0', deep: { list: [1, null, true] } },
    ],
    ['const add = 5; return add', 5],
    ['', undefined],
  ])('%s', async (source, value) => {
    expect(await run(source)).toMatchObject({ status: 'completed', value });
  });

  test('receives the message of an Error, and the code and details of a Toolwright error', async () => {
    const source = 'try { await NAME() } catch (e) { return [e.name, e.message, e.code, e.details] }';
    const caught = async (name: string) => (await run(source.replace('NAME', name))).value;
    expect(await caught('refuse')).toEqual(['ToolError', 'There is no customer 7.', 'TOOL_FAILED', null]);
    expect(await caught('limited')).toEqual(['ToolError', 'Try again later.', 'BUSY', { seconds: 3 }]);
  });

  test.each(['broken', 'missing', 'textual', 'circular'])('receives only an id for a defect: %s', async (name) => {
    defects.length = 0;
    const { error } = await run(`\nawait ${name}()`);
    const id = /^Internal error \[(\w{8})\]\. The log of the host has the details\.$/.exec(error?.message ?? '')?.[1];
    expect([error?.code, error?.line, defects.map(([defect]) => defect)]).toEqual(['INTERNAL', 2, [id]]);
    expect(JSON.stringify(error)).not.toMatch(/secret|etc/);
  });

  test('fails with the position in its own source', async () => {
    const source =
      'interface A { a: number }\nfunction outer(a: A): never {\n  throw new RangeError("bad " + a.a);\n}\nouter({ a: 1 });';
    expect(await run(source)).toEqual({
      status: 'failed',
      error: {
        name: 'RangeError',
        message: 'bad 1',
        line: 3,
        column: 13,
        stack: '  at outer line 3, column 13\n  at line 5, column 1',
      },
      logs: [],
      droppedLogBytes: 0,
    });
    expect((await run('\n  await refuse()')).error).toMatchObject({ code: 'TOOL_FAILED', line: 2, column: 15 });
    expect((await run('const a = 1;\nconst = 2')).error).toMatchObject({
      name: 'SyntaxError',
      code: 'SYNTAX',
      line: 2,
    });
  });

  test('cannot forge a code that only the host sets, and keeps its own', async () => {
    const codeOf = async (code: string) =>
      (await run(`throw Object.assign(new Error('x'), { code: '${code}' })`)).error?.code;
    expect([await codeOf('INTERNAL'), await codeOf('E_OWN')]).toEqual([undefined, 'E_OWN']);
  });

  test.each([
    ['await add(5)', 'add takes one object of arguments, not a number'],
    ["await callMCPTool('none', {})", 'There is no function "none". The functions are: '],
    ["await fs.readFile('/workspace/a')", 'The host has no operation "fs.readText".'],
    ["import './a.js'", 'The host has no operation "module".'],
    ['return await large()', 'large returned 3002 bytes, the limit is 2000.'],
    ["return 'x'.repeat(3_000)", 'The result has 3002 characters, the limit is 2000 bytes. Return a summary.'],
    [
      'let a = []; for (let i = 0; i < 20; i++) a = [a]; return a',
      'The value is nested deeper than 9 levels. Flatten it.',
    ],
  ])('%s fails', async (source, message) => {
    const { error } = await run(source, { limits: { messageBytes: 2_000, depth: 9 } });
    expect(error?.message).toContain(message);
  });

  test('logs lines, which onLog receives too', async () => {
    const lines: unknown[] = [];
    const source = "console.log('one', { a: 1 });\nconsole.error('two');\nconsole.log('x'.repeat(99))";
    const result = await run(source, { onLog: (line) => lines.push(line), limits: { logBytes: 50 } });
    expect(result.logs).toEqual([
      { level: 'info', text: 'one {a: 1}' },
      { level: 'error', text: 'two' },
    ]);
    expect([lines, result.droppedLogBytes]).toEqual([result.logs, 100]);
  });

  test('is stopped at its limits', async () => {
    const endless = await run('for (;;);', { limits: { timeoutMs: 200 } });
    expect(endless).toMatchObject({ status: 'stopped', limit: 'timeout' });
    expect(await run('await slow()', { limits: { timeoutMs: 200 } })).toMatchObject({ limit: 'timeout' });
    const greedy = 'const all = [];\nfor (;;) all.push(new Uint8Array(1e6).fill(1))';
    expect(await run(greedy, { limits: { memoryBytes: 16 * 1024 * 1024 } })).toMatchObject({ limit: 'memory' });
  });

  test('ends when its signal is aborted', async () => {
    const signal = AbortSignal.timeout(100);
    expect((await failureOf(run('await slow()', { signal }))).code).toBe('CANCELLED');
    expect((await failureOf(run('1', { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
  });

  test('leaves the caller’s sandbox open, and runs in a fresh guest', async () => {
    await run('globalThis.left = 1');
    expect((await run('return typeof left')).value).toBe('undefined');
  });
});

test('the names of the guest runtimes are reserved', async () => {
  const globals = (await run('return Object.keys(globalThis)', { functions: {} })).value as string[];
  expect(globals).toContain('callMCPTool');
  for (const name of globals) {
    expect((await failureOf(run('1', { functions: { [name]: () => 1 } }))).message).toContain(`"${name}" is reserved`);
  }
});

test.each<[RunCodeOptions & { source?: unknown }, string]>([
  [{ functions: { 'a-b': () => 1 } }, 'The function name "a-b" is not an identifier.'],
  [{ functions: { __last__: () => 1 } }, 'The function name "__last__" is not an identifier.'],
  [{ functions: { delete: () => 1 } }, 'The function name "delete" is reserved in programs. Use another name.'],
  [{ functions: { Map: () => 1 } }, 'The function name "Map" is reserved in programs. Use another name.'],
  [{ functions: { add: 5 as never } }, 'functions.add must be a function, not number.'],
  [{ language: 'ruby' as never }, 'There is no language "ruby". The languages are: typescript, python.'],
  [{ sandbox: 'none' }, 'There is no sandbox "none".'],
  [{ limits: { timeout: 5 } as never }, 'There is no limit "timeout". The limits are: timeoutMs, memoryBytes,'],
  [{ limits: { timeoutMs: 0 } }, 'limits.timeoutMs is a positive whole number, not 0.'],
  [{ limits: { memoryBytes: 5 } }, 'limits.memoryBytes is at least 1048576 (1 MiB), not 5.'],
  [{ source: 5 }, 'The source of a program must be a string.'],
])('%j is a configuration error', async ({ source = '1', ...options }, message) => {
  const failure = await failureOf(run(source as string, options));
  expect([failure.code, failure.message]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)]);
});

test.each<[GuestOutcome, object]>([
  [
    { status: 'stopped', limit: 'memory', stack: 'at f (/program.js:3:1)' },
    { limit: 'memory', line: 2 },
  ],
  [{ status: 'completed', value: '[1]' }, { value: [1] }],
  [
    { status: 'failed', error: { name: 'E', message: 'x', stack: '', code: 'GONE', request: 5 } },
    { error: { code: 'GONE' } },
  ],
])('reads the outcome %j of any sandbox', async (outcome, expected) => {
  const sandbox: Sandbox = {
    name: 'own',
    isolation: 'none',
    languages: ['javascript'],
    run: async () => outcome,
    [Symbol.asyncDispose]: () => Promise.reject(new Error('belongs to the caller')),
  };
  expect(await run('1\n2', { sandbox })).toMatchObject({ status: outcome.status, ...expected });
});

test('an outcome that is not JSON is an error of the sandbox', async () => {
  const sandbox: Sandbox = { ...quickjs, run: async () => ({ status: 'completed', value: '{' }) };
  expect((await failureOf(run('1', { sandbox }))).code).toBe('BRIDGE_PROTOCOL');
});

test('a sandbox that does not run the language is an error', async () => {
  expect((await failureOf(run('1', { language: 'python' }))).code).toBe('SANDBOX_UNAVAILABLE');
});

describe.skipIf(!pyodide)('a Python program', () => {
  const python = (source: string, options: RunCodeOptions = {}) =>
    run(source, { language: 'python', sandbox: pyodide as Sandbox, ...options });

  test('calls functions with keywords or one dict', async () => {
    const source = 'one = await add(a=1, b=2)\ntwo = await add({"a": one, "b": 2})\n[one, two, await nothing()]';
    expect(await python(source)).toMatchObject({ status: 'completed', value: [3, 5, null] });
  });

  test('receives errors of functions, and fails with the position in its own source', async () => {
    const caught = 'try:\n    await refuse()\nexcept ToolError as error:\n    result = [str(error), error.code]';
    expect((await python(caught)).value).toEqual(['There is no customer 7.', 'TOOL_FAILED']);
    expect((await python('x = 1\nawait refuse()')).error).toMatchObject({ code: 'TOOL_FAILED', line: 2 });
    expect((await python('await add(1)')).error?.message).toContain('add takes keyword arguments or one dict');
    expect((await python('def f(:')).error).toMatchObject({ name: 'SyntaxError', code: 'SYNTAX', line: 1 });
  });

  test('the names of its runtime are reserved', async () => {
    const names = (await python('import toolwright\ntoolwright.__all__ + ["servers"]')).value as string[];
    expect(names).toContain('call_mcp_tool');
    for (const name of names) {
      expect((await failureOf(python('1', { functions: { [name]: () => 1 } }))).code).toBe('CONFIG_INVALID');
    }
  });
});
