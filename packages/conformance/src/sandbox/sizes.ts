import assert from 'node:assert/strict';
import type { LanguageName } from '@toolwright/sandbox';
import { completesWith, dataOf, failsWith, type SandboxCase } from './case.ts';

/** Sources that overflow the stack of a parser. */
const DEEP_SOURCES: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: ['x => '.repeat(90_000), `1${'+1'.repeat(200_000)}`, '!'.repeat(400_000)],
  python: [
    'lambda: '.repeat(60_000),
    `1${'+1'.repeat(200_000)}`,
    `${'-'.repeat(400_000)}1`,
    `${'not '.repeat(100_000)}1`,
  ],
};

/** The limits of messages across the bridge, and of workspace files. */
export const SIZE_CASES: readonly SandboxCase[] = [
  {
    area: 'limits',
    name: 'log lines over the limit are dropped and counted, the rest is kept',
    programs: {
      typescript: "for (let i = 0; i < 100; i++) console.log('x'.repeat(99)); return 1",
      python: `for i in range(100):
    print("x" * 99)
return 1`,
    },
    limits: { logBytes: 1_000 },
    check({ result }) {
      assert.equal(dataOf(result), 1);
      assert.equal(result.logs.length, 10);
      assert.ok(result.stats.droppedLogBytes >= 90 * 99);
    },
  },
  {
    area: 'limits',
    name: 'empty log lines count too',
    programs: {
      typescript: "for (let i = 0; i < 5_000; i++) console.log(''); return 1",
      python: `for i in range(5_000):
    print()
return 1`,
    },
    limits: { logBytes: 1_000 },
    check: ({ result }) => assert.ok(result.logs.length <= 1_000, `${result.logs.length} lines`),
  },
  {
    area: 'limits',
    name: 'a result over its limit becomes a preview and a file with the complete result',
    programs: {
      typescript: "return { text: 'x'.repeat(5_000), end: 'END' }",
      python: 'return {"text": "x" * 5_000, "end": "END"}',
    },
    limits: { resultBytes: 1_000 },
    async check({ result, execute, language }) {
      const preview = dataOf(result);
      assert.ok(result.status === 'completed' && result.file);
      assert.ok(typeof preview === 'string' && preview.length < 1_500 && preview.includes(result.file.path));
      const readers = {
        typescript: `const all = JSON.parse(await fs.readFile('${result.file.path}')); return [all.text.length, all.end]`,
        python: `import json\nall = json.load(open('${result.file.path}'))\nreturn [len(all['text']), all['end']]`,
      };
      assert.deepEqual(dataOf((await execute(readers[language])).result), [5_000, 'END']);
    },
  },
  completesWith(
    'limits',
    'arguments over their limit are refused, and the program continues',
    {
      typescript:
        "try { await callMCPTool('tools__echo', { value: 'x'.repeat(2_000) }) } catch (error) { return [error.code, await callMCPTool('tools__echo', { value: 1 })] }",
      python: `try:
    await call_mcp_tool("tools__echo", {"value": "x" * 2_000})
except ToolError as error:
    result = [error.code, await call_mcp_tool("tools__echo", {"value": 1})]`,
    },
    ['ARGUMENTS_TOO_LARGE', 1],
    { callArgumentBytes: 1_000 },
  ),
  completesWith(
    'limits',
    'an answer over its limit is refused, and the program continues',
    {
      typescript:
        "try { await callMCPTool('tools__big', { bytes: 2_000 }) } catch (error) { return [error.code, (await callMCPTool('tools__big', { bytes: 500 })).length] }",
      python: `try:
    await call_mcp_tool("tools__big", {"bytes": 2_000})
except ToolError as error:
    result = [error.code, len(await call_mcp_tool("tools__big", {"bytes": 500}))]`,
    },
    ['TOOL_RESULT_TOO_LARGE', 500],
    { callResultBytes: 1_000 },
  ),
  completesWith(
    'limits',
    'a message over its limit is refused, and the program continues',
    {
      typescript:
        "try { await fs.writeFile('a', 'x'.repeat(50_000)) } catch (error) { return [error.code, await callMCPTool('tools__echo', { value: 1 })] }",
      python: `try:
    await call_mcp_tool("tools__echo", {"value": "x" * 50_000})
except ToolError as error:
    result = [error.code, await call_mcp_tool("tools__echo", {"value": 1})]`,
    },
    ['ARGUMENTS_TOO_LARGE', 1],
    { messageBytes: 20_000 },
  ),
  failsWith(
    'limits',
    'a result over the size of a message is refused',
    { typescript: "return 'x'.repeat(50_000)", python: 'return "x" * 50_000' },
    { code: 'RESULT_TOO_LARGE' },
    { messageBytes: 20_000 },
  ),
  completesWith(
    'limits',
    'arguments that are nested too deeply are refused',
    {
      typescript:
        'let value = 1; for (let i = 0; i < 30; i++) value = [value];\ntry { await callMCPTool("tools__echo", { value }) } catch (error) { return error.code }',
      python: `value = 1
for _ in range(30):
    value = [value]
try:
    await call_mcp_tool("tools__echo", {"value": value})
except ToolError as error:
    result = error.code`,
    },
    'ARGUMENTS_TOO_LARGE',
    { depth: 20 },
  ),
  failsWith(
    'limits',
    'a result that is nested too deeply is refused',
    {
      typescript: 'let value = 1; for (let i = 0; i < 30; i++) value = [value];\nreturn value',
      python: `value = 1
for _ in range(30):
    value = [value]
value`,
    },
    { code: 'RESULT_NOT_JSON', message: /20 levels/ },
    { depth: 20 },
  ),
  completesWith(
    'limits',
    'the bytes of all files are limited, and removing files frees space',
    {
      typescript: `await fs.writeFile('a', 'x'.repeat(900));
const refused = await fs.writeFile('b', 'x'.repeat(200)).catch((error) => error.code);
const appended = await fs.appendFile('a', 'x'.repeat(200)).catch((error) => error.code);
await fs.rm('a');
await fs.writeFile('b', 'x'.repeat(900));
return [refused, appended, (await fs.stat('b')).size];`,
      python: `import os
def attempt(path, data, append=False):
    try:
        write_file(path, data, append)
    except OSError as error:
        return error.code
write_file("a", "x" * 900)
refused, appended = attempt("b", "x" * 200), attempt("a", "x" * 200, True)
os.remove("a")
write_file("b", "x" * 900)
[refused, appended, os.path.getsize("b")]`,
    },
    ['WORKSPACE_FULL', 'WORKSPACE_FULL', 900],
    { workspaceBytes: 1_000 },
  ),
  completesWith(
    'limits',
    'the number of files is limited',
    {
      typescript: `const codes = [];
for (const name of ['a', 'b', 'c', 'd', 'e']) codes.push(await fs.writeFile(name, '').then(() => 'fine', (error) => error.code));
return codes;`,
      python: `codes = []
for name in "abcde":
    try:
        write_file(name, "")
        codes.append("fine")
    except OSError as error:
        codes.append(error.code)
codes`,
    },
    ['fine', 'fine', 'fine', 'WORKSPACE_FULL', 'WORKSPACE_FULL'],
    { workspaceFiles: 3 },
  ),
  completesWith(
    'limits',
    'removing one file many times at once does not raise the limit',
    `await fs.mkdir('d');
await fs.writeFile('d/a', 'x'.repeat(800));
await Promise.allSettled(Array.from({ length: 20 }, () => fs.rm('d', { recursive: true })));
const codes = [];
for (const name of ['a', 'b', 'c']) codes.push(await fs.writeFile(name, 'x'.repeat(600)).then(() => 'fine', (error) => error.code));
return codes;`,
    ['fine', 'WORKSPACE_FULL', 'WORKSPACE_FULL'],
    { workspaceBytes: 1_000 },
  ),
  {
    area: 'limits',
    name: 'a source that is nested too deeply for a parser is refused',
    programs: {
      typescript: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      python: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    },
    async check({ result, execute, language }) {
      assert.equal(result.status, 'failed');
      for (const source of DEEP_SOURCES[language]) {
        assert.notEqual((await execute(source)).result.status, 'completed');
      }
      assert.equal(dataOf((await execute('return 1')).result), 1);
    },
  },
];
