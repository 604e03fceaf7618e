import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type ExecuteOptions } from '../toolwright.ts';

const dataDir = temporaryFolder();
const toolwright = await createToolwright({
  dataDir,
  // Columns differ from engine to engine.
  sandbox: warmQuickjs(),
  tools: { files: { tools: { readText: { run: () => 'text' }, writeText: { run: () => 'ok' } } } },
});
afterAll(() => toolwright.close());

/** Runs a program without the check, which would find some of these mistakes. */
const errorOf = async (source: string, options: ExecuteOptions = {}) => {
  const result = await toolwright.execute(source, { check: false, ...options });
  if (result.status !== 'failed') throw new Error(JSON.stringify(result));
  return result.error;
};

describe('a result over the limit', () => {
  test('becomes a preview and a file that the next program reads', async () => {
    const limits = { resultBytes: 21 };
    const result = await toolwright.execute('return "ü".repeat(50)', { sessionId: 'big', createSession: true, limits });
    if (result.status !== 'completed' || !result.file) throw new Error(JSON.stringify(result));
    const { path, hostPath, bytes } = result.file;
    const whole = JSON.stringify('ü'.repeat(50));
    expect([path, bytes, readFileSync(hostPath, 'utf8')]).toEqual([
      `/workspace/results/${result.executionId}.json`,
      102,
      whole,
    ]);
    const id = result.executionId;
    expect(result.value).toBe(
      `"${'ü'.repeat(10)}…\n[The result has 102 bytes; the limit is 21. In the next program, await execution("${id}") returns all of it. Programs of this session find it in ${path} too.]`,
    );
    const next = await toolwright.execute(`return JSON.parse(await fs.readFile('${path}', 'utf8')).length`, {
      sessionId: 'big',
      createSession: true,
    });
    expect(next).toMatchObject({ status: 'completed', value: 50 });
  });

  test('exactly at the limit is returned completely', async () => {
    const result = await toolwright.execute('return "x".repeat(8)', { limits: { resultBytes: 10 } });
    expect(result).toMatchObject({ status: 'completed', value: 'xxxxxxxx' });
    expect(result).not.toHaveProperty('file');
  });

  test('has a file also when the workspace is full', async () => {
    const program = `try { await fs.writeFile('a', 'x'.repeat(100)) } catch (error) { return error.code + 'x'.repeat(100) }`;
    const result = await toolwright.execute(program, { limits: { resultBytes: 10, workspaceBytes: 50 } });
    expect(result).toMatchObject({ status: 'completed', file: { bytes: 116 } });
    const { hostPath = '' } = 'file' in result ? (result.file ?? {}) : {};
    expect(readFileSync(hostPath, 'utf8')).toContain('WORKSPACE_FULLx');
  });
});

describe('a result', () => {
  test('that is nested too deeply is refused', async () => {
    const error = await errorOf('let a = []; for (let i = 0; i < 9; i++) a = [a]; return a', { limits: { depth: 9 } });
    expect([error.code, error.message]).toEqual([
      'RESULT_NOT_JSON',
      'The result is nested deeper than 9 levels. Flatten it.',
    ]);
  });
});

describe('an error', () => {
  test('has only kind, code, name, position and the author’s stack', async () => {
    const source = 'function outer() {\n  inner();\n}\nfunction inner() {\n  throw new RangeError("far");\n}\nouter();';
    expect(await errorOf(source)).toEqual({
      kind: 'user',
      code: 'GUEST_ERROR',
      name: 'RangeError',
      message: 'far',
      line: 5,
      column: 23,
      stack: '  at inner line 5, column 23\n  at outer line 2, column 8\n  at line 7, column 6',
    });
  });

  test.each<[string, string, string]>([
    ['a misspelt global', 'search_tool("x")', 'Did you mean search_tools?'],
    ['a misspelt class', 'throw new ToolEror("x")', 'Did you mean ToolError?'],
    [
      'fetch',
      'fetch("x")',
      'The sandbox has no network. Call a tool with callMCPTool(name, args); find one with search_tools(query).',
    ],
    [
      'a second thread',
      'new MessageChannel()',
      'A program is one thread. Use promises: await Promise.all(list.map(async (item) => …)).',
    ],
    [
      'a misspelt function of a server',
      'import * as files from "./servers/files/index.js";\nawait files.readTxt({})',
      'files.readTxt does not exist. Did you mean readText?',
    ],
    [
      'a misspelt import of a server',
      'import { readTexts } from "./servers/files/index.js";\nreadTexts()',
      'Did you mean readText?',
    ],
    [
      'an import that resembles nothing',
      'import { zzzqqq } from "./servers/files/index.js";\nzzzqqq()',
      'It exports: readText, writeText.',
    ],
  ])('has a hint for %s', async (_name, source, hint) => {
    expect((await errorOf(source)).hint).toBe(hint);
  });

  test('in the syntax has its position', async () => {
    expect(await errorOf('const a = 1;\nconst b = ;')).toEqual({
      kind: 'user',
      code: 'SYNTAX',
      name: 'SyntaxError',
      message: 'Unexpected token at line 2, column 11: const b = ;',
      line: 2,
      column: 11,
    });
  });

  test('of an unknown tool names the correct tool and its signature', async () => {
    const { kind, code, message, line } = await errorOf('1;\nawait callMCPTool("files__readtext", {})');
    expect([kind, code, line]).toEqual(['user', 'UNKNOWN_TOOL', 2]);
    expect(message).toContain('Unknown tool "files__readtext". Did you mean files__readText');
  });
});

describe('files', () => {
  test('of an execution without a session are deleted, those of a session stay', async () => {
    const source = 'await fs.writeFile("a", "A"); return 1';
    const alone = await toolwright.execute(source);
    await toolwright.execute(source, { sessionId: 'stays', createSession: true });
    expect([
      existsSync(join(dataDir, 'executions', `${alone.executionId}.files`)),
      readFileSync(join(dataDir, 'sessions/stays/workspace/a'), 'utf8'),
    ]).toEqual([false, 'A']);
  });

  test('of a session count against the quota of each execution', async () => {
    await toolwright.execute('await fs.writeFile("a", "x".repeat(100))', { sessionId: 'quota', createSession: true });
    const tight = await errorOf('await fs.writeFile("b", "x".repeat(100))', {
      sessionId: 'quota',
      createSession: true,
      limits: { workspaceBytes: 150 },
    });
    expect(tight.code).toBe('WORKSPACE_FULL');
    const wide = await toolwright.execute('await fs.writeFile("b", "x".repeat(100))', {
      sessionId: 'quota',
      createSession: true,
    });
    expect(wide.status).toBe('completed');
  });
});

test.each(['', 'a b', '../a', 'a/b', 'x'.repeat(65), 'ü'])('%j is not a valid session id', async (sessionId) => {
  const failure = await failureOf(toolwright.execute('1', { sessionId, createSession: true }));
  expect([failure.code, failure.message]).toEqual([
    'CONFIG_INVALID',
    'A session id must have 1 to 64 letters, digits, "-" and "_".',
  ]);
});

test('statistics count the cost of an execution', async () => {
  const { stats } = await toolwright.execute('console.log("hello"); return callMCPTool("files__readText", {})');
  const { prepareMs, checkMs, runMs, totalMs, ...rest } = stats;
  expect([prepareMs >= 0, runMs > 0, totalMs >= runMs + checkMs + prepareMs]).toEqual([true, true, true]);
  expect(rest).toEqual({
    sandbox: 'quickjs',
    sandboxReason: expect.any(String),
    check: 'passed',
    toolCalls: 1,
    toolErrors: 0,
    argumentBytes: 2,
    toolResultBytes: 6,
    resultBytes: 6,
    droppedLogBytes: 0,
    tokens: { code: 17, output: 3 },
  });
});
