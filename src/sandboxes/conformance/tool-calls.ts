import assert from 'node:assert/strict';
import { type ConformanceCase, dataOf, errorOf, fails, gives, matches } from './case.ts';

/** Finding and calling tools. */
export const TOOL_CALL_CASES: readonly ConformanceCase[] = [
  gives('api', 'callMCPTool gives the data of a tool', 'return callMCPTool("tools__add", { a: 1, b: 2 })', { sum: 3 }),
  gives('api', 'a tool may answer with text', 'return callMCPTool("tools__text")', 'plain text'),
  gives('api', 'a tool may answer with nothing', 'return callMCPTool("tools__nothing", {})', null),
  gives(
    'api',
    'a namespace import calls by name, by object and by position',
    `import * as tools from './servers/tools/index.js';
return [await tools.add({ a: 1, b: 2 }), await tools.add(3, 4), await tools.text()];`,
    [{ sum: 3 }, { sum: 7 }, 'plain text'],
  ),
  gives(
    'api',
    'named imports call tools',
    "import { add, echo as say } from './servers/tools/index.js';\nreturn [await add(1, 1), await say({ value: [] })];",
    [{ sum: 2 }, []],
  ),
  gives(
    'api',
    'a dynamic import gives the same functions',
    "const { add } = await import('./servers/tools/index.js');\nreturn add(2, 2);",
    { sum: 4 },
  ),
  gives(
    'api',
    'list_mcp_tools lists and filters',
    `const all = await list_mcp_tools();
const some = await list_mcp_tools('add');
return [all.length > 15, some.map((tool) => [tool.name, tool.server, tool.description])];`,
    [true, [['tools__add', 'tools', 'Adds two numbers together.']]],
  ),
  gives(
    'api',
    'get_mcp_tool_details tells the parameters',
    "const text = await get_mcp_tool_details('tools__add');\nreturn [typeof text, /a: number/.test(text), /Adds two numbers/.test(text)];",
    ['string', true, true],
  ),
  gives(
    'api',
    'search_tools takes one query, many, a server and a limit',
    `const names = (hits) => hits.map((hit) => hit.name);
const one = await search_tools('add numbers together');
const many = await search_tools(['add numbers', 'count calls'], { limit: 1 });
const other = await search_tools('add numbers', { server: 'odd' });
return [names(one)[0], names(many).sort(), names(other).includes('tools__add'), typeof one[0].signature];`,
    ['tools__add', ['tools__add', 'tools__counter'], false, 'string'],
  ),
  {
    area: 'api',
    name: 'odd names reach their own tool and no other',
    programs: {
      typescript: `const odd = await list_mcp_tools('odd__');
const answers = {};
for (const { name } of odd) answers['_' + name] = (await callMCPTool(name, { x: 1 })).tool;
return answers;`,
    },
    check({ result, received }) {
      const answers = Object.entries(dataOf(result) as Record<string, string>);
      assert.equal(answers.length, 9);
      for (const [name, tool] of answers) assert.equal(name, `_odd__${tool}`);
      assert.equal(new Set(received.map(({ tool }) => tool)).size, 9);
    },
  },
  {
    area: 'api',
    name: 'generated functions of odd names do not collide',
    programs: {
      typescript: `import * as odd from './servers/odd/index.js';
const tools = [];
for (const key of Object.keys(odd)) tools.push((await odd[key]({ x: 1 })).tool);
return [...new Set(tools)].sort();`,
    },
    check({ result }) {
      assert.deepEqual(dataOf(result), [
        '2fa',
        '__proto__',
        'a-b',
        'a_b',
        'class',
        'constructor',
        'délta',
        'hasOwnProperty',
        'then',
      ]);
    },
  },
  {
    area: 'api',
    name: 'five calls under Promise.all are in flight at once',
    programs: {
      typescript: 'return Promise.all([1, 2, 3, 4, 5].map(() => callMCPTool("tools__slow", { ms: 300 })))',
    },
    check({ result, mostInFlight }) {
      assert.deepEqual(dataOf(result), Array(5).fill('done'));
      assert.equal(mostInFlight(), 5);
    },
  },
  {
    area: 'api',
    name: 'calls are counted and told',
    programs: { typescript: 'await callMCPTool("tools__add", { a: 1, b: 2 }); return 1' },
    check({ result }) {
      assert.equal(result.calls.length, 1);
      const [call] = result.calls;
      assert.deepEqual([call?.number, call?.tool, call?.status], [1, 'tools__add', 'answered']);
      assert.equal(result.stats.toolCalls, 1);
    },
  },
  gives(
    'errors',
    'a tool that refuses throws a ToolError',
    `try { await callMCPTool('tools__fail', { message: 'never' }) } catch (error) {
  return [error instanceof ToolError, error instanceof Error, error.name, error.code, error.message, error.details];
}`,
    [true, true, 'ToolError', 'TOOL_FAILED', 'never', { why: 'asked to' }],
  ),
  fails(
    'errors',
    'an uncaught refusal tells the line of the call',
    "const a = 1;\nawait callMCPTool('tools__fail', { message: 'never' });",
    {
      kind: 'guest',
      code: 'TOOL_FAILED',
      message: /never/,
      line: 2,
    },
  ),
  fails(
    'errors',
    'an uncaught refusal of a generated function tells the line of the call',
    "import { fail } from './servers/tools/index.js';\n\nawait fail({ message: 'never' });",
    { code: 'TOOL_FAILED', line: 3 },
  ),
  {
    area: 'errors',
    name: 'an unknown tool is answered with a suggestion, and nothing is sent',
    programs: { typescript: 'await callMCPTool("tools__ad", { a: 1, b: 2 })' },
    check({ result, received }) {
      matches(errorOf(result), { code: 'UNKNOWN_TOOL', message: /Did you mean tools__add/, line: 1 });
      assert.deepEqual(received, []);
    },
  },
  {
    area: 'errors',
    name: 'wrong arguments are answered with all problems and the signature, and nothing is sent',
    programs: { typescript: 'await callMCPTool("tools__add", { a: "one", c: 3 })' },
    check({ result, received }) {
      const message =
        /(?=[\s\S]*\ba\b)(?=[\s\S]*\bb\b)(?=[\s\S]*\bc\b)(?=[\s\S]*callMCPTool\("tools__add", \{a: number, b: number\}\))/;
      matches(errorOf(result), { code: 'INVALID_ARGUMENTS', kind: 'guest', message });
      assert.deepEqual(received, []);
    },
  },
  fails('errors', 'a call without a name is explained', 'await callMCPTool({ a: 1 })', {
    name: 'TypeError',
    message: /callMCPTool takes the name/,
  }),
  fails('errors', 'a call with a list of arguments is explained', 'await callMCPTool("tools__add", [1, 2])', {
    name: 'TypeError',
    message: /an array/,
  }),
  {
    area: 'errors',
    name: 'a defect of the host is opaque',
    programs: { typescript: 'await callMCPTool("tools__defect")' },
    check({ result }) {
      matches(errorOf(result), { kind: 'host', code: 'INTERNAL', message: /^Internal error \[\w+\]/ });
      assert.doesNotMatch(JSON.stringify(result), /secret of the host/);
    },
  },
];
