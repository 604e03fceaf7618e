import assert from 'node:assert/strict';
import { completesWith, dataOf, errorOf, failsWith, matches, type SandboxCase } from './case.ts';

/** Finding and calling tools. */
export const TOOL_CALL_CASES: readonly SandboxCase[] = [
  completesWith(
    'api',
    'callMCPTool returns the data of a tool',
    {
      typescript: 'return callMCPTool("tools__add", { a: 1, b: 2 })',
      python: 'await call_mcp_tool("tools__add", {"a": 1, "b": 2})',
    },
    { sum: 3 },
  ),
  completesWith(
    'api',
    'a raw result has the data of a tool as structured content',
    {
      typescript: `return [await callMCPTool('tools__add', { a: 1, b: 2 }, { raw: true }), await callMCPTool('tools__nothing', {}, { raw: true }),
  await callMCPTool('tools__text', {}, { raw: false })]`,
      python: `[await call_mcp_tool("tools__add", {"a": 1, "b": 2}, raw=True), await call_mcp_tool("tools__nothing", raw=True),
  await call_mcp_tool("tools__text", raw=False)]`,
    },
    [{ content: [], structuredContent: { sum: 3 } }, { content: [], structuredContent: null }, 'plain text'],
  ),
  completesWith(
    'api',
    'a tool may return text',
    { typescript: 'return callMCPTool("tools__text")', python: 'return call_mcp_tool("tools__text")' },
    'plain text',
  ),
  completesWith(
    'api',
    'a tool may return nothing',
    {
      typescript: 'return callMCPTool("tools__nothing", {})',
      python: 'return await call_mcp_tool("tools__nothing", {})',
    },
    null,
  ),
  completesWith(
    'api',
    'wrong parameters are refused in words',
    {
      typescript: `const calls = [() => list_mcp_tools(5), () => search_tools({}), () => sleep('x'), () => get_tool_definition(null),
  () => execution(5), () => run_skill(5)];
const words = [];
for (const call of calls) words.push(await call().then(() => 'accepted', ({ code, message }) => code + ': ' + message));
return words;`,
      python: `calls = [lambda: list_mcp_tools(5), lambda: search_tools({}), lambda: sleep("x"), lambda: get_tool_definition(None),
  lambda: execution(5), lambda: run_skill(5)]
words = []
for call in calls:
    try:
        await call()
        words.append("accepted")
    except ToolError as error:
        words.append(f"{error.code}: {error}")
words`,
    },
    [
      'list_mcp_tools takes a text, which names or servers of tools contain, got number.',
      'search_tools takes a text or a list of texts, got object.',
      'sleep takes a time as a number, got string.',
      'get_mcp_tool_details takes the name of a tool, got null.',
      'execution takes the id of an execution, got number.',
      'run_skill takes the name of a skill, got number.',
    ].map((words) => `INVALID_ARGUMENTS: ${words}`),
  ),
  completesWith(
    'api',
    'extract reads data of a declared shape from a text, or fails',
    {
      typescript: `const text = 'Due date: 3 May 2026\\nAmount: 1,250.00 EUR\\nPaid: no';
const schema = { type: 'object', properties: { dueDate: { type: 'string', format: 'date' }, amount: { type: 'number' }, paid: { type: 'boolean' } } };
const failed = (call) => call.then(() => 'accepted', ({ code, message }) => code + ': ' + message.split('.')[0]);
return [await extract(text, schema), await failed(extract(text, { type: 'integer', minimum: 5000 })), await failed(extract(text, 5)), await failed(extract(5, {}))];`,
      python: `text = "Due date: 3 May 2026\\nAmount: 1,250.00 EUR\\nPaid: no"
schema = {"type": "object", "properties": {"dueDate": {"type": "string", "format": "date"}, "amount": {"type": "number"}, "paid": {"type": "boolean"}}}
async def failed(call):
    try:
        await call
        return "accepted"
    except ToolError as error:
        return f"{error.code}: {str(error).split('.')[0]}"
[await extract(text, schema), await failed(extract(text, {"type": "integer", "minimum": 5000})), await failed(extract(text, 5)), await failed(extract(5, {}))]`,
    },
    [
      { dueDate: '2026-05-03', amount: 1250, paid: false },
      'INVALID_ARGUMENTS: extract: the text has no value',
      'INVALID_ARGUMENTS: extract takes a JSON Schema, got number',
      'INVALID_ARGUMENTS: extract takes a text, got number',
    ],
  ),
  completesWith(
    'api',
    'a namespace import calls by name, by object and by position',
    {
      typescript: `import * as tools from './servers/tools/index.js';
return [await tools.add({ a: 1, b: 2 }), await tools.add(3, 4), await tools.text()];`,
      python: `import servers.tools as tools
[await tools.add({"a": 1, "b": 2}), await tools.add(3, 4), await tools.text()]`,
    },
    [{ sum: 3 }, { sum: 7 }, 'plain text'],
  ),
  completesWith(
    'api',
    'named imports call tools',
    {
      typescript:
        "import { add, echo as say } from './servers/tools/index.js';\nreturn [await add(1, 1), await say({ value: [] })];",
      python: `from servers.tools import add, echo as say
[await add(1, 1), await say(value=[])]`,
    },
    [{ sum: 2 }, []],
  ),
  completesWith(
    'api',
    'a dynamic import returns the same functions',
    {
      typescript: "const { add } = await import('./servers/tools/index.js');\nreturn add(2, 2);",
      python: `import importlib
await importlib.import_module("servers.tools").add(2, 2)`,
    },
    { sum: 4 },
  ),
  completesWith(
    'api',
    'list_mcp_tools lists and filters',
    {
      typescript: `const all = await list_mcp_tools();
const some = await list_mcp_tools('add');
return [all.length > 15, some.map((tool) => [tool.name, tool.server, tool.description])];`,
      python: `everything = await list_mcp_tools()
some = await list_mcp_tools("add")
[len(everything) > 15, [[tool["name"], tool["server"], tool["description"]] for tool in some]]`,
    },
    [true, [['tools__add', 'tools', 'Adds two numbers together.']]],
  ),
  completesWith(
    'api',
    'get_mcp_tool_details describes the parameters',
    {
      typescript:
        "const text = '' + (await get_mcp_tool_details('tools__add'));\nreturn [typeof text, /a: number/.test(text), /Adds two numbers/.test(text)];",
      python: `text = await get_mcp_tool_details("tools__add")
["string" if isinstance(text, str) else "", "a: " in text, "Adds two numbers" in text]`,
    },
    ['string', true, true],
  ),
  {
    area: 'api',
    name: 'the details of a tool are its text, and have its parts as fields',
    programs: {
      typescript: `const tool = await get_mcp_tool_details('tools__add');
const { name, server, description, parameters } = tool;
const text = String(tool);
await fs.writeFile('/workspace/details.txt', tool);
const same = [JSON.parse(JSON.stringify({ tool })).tool, tool + '', await fs.readFile('/workspace/details.txt')];
console.log(tool, [tool]);
const category = await get_tool_definition('add', 'tools');
return [name, server, description, Object.keys(parameters.properties), tool.inputSchema === parameters,
  same.every((one) => one === text), tool.includes('Adds'), String(category) === text, tool];`,
      python: `tool = await get_mcp_tool_details("tools__add")
text = "" + tool
write_file("details.txt", tool)
same = [json.loads(json.dumps({"tool": tool}))["tool"], f"{tool}", read_file("details.txt")]
print(tool, [tool])
category = await get_tool_definition("add", category="tools")
[tool.name, tool["server"], tool.description, list(tool["parameters"]["properties"]), tool.inputSchema is tool.parameters,
 all(one == text for one in same), "Adds" in tool, category == text, tool]`,
    },
    check({ result }) {
      const [name, server, description, ...values] = dataOf(result) as unknown[];
      const text = values.pop();
      assert.deepEqual([name, server, description], ['tools__add', 'tools', 'Adds two numbers together.']);
      assert.deepEqual(values, [['a', 'b'], true, true, true, true]);
      assert.match(String(text), /Adds two numbers together/);
      assert.ok(
        result.logs
          .map((line) => line.text)
          .join('\n')
          .startsWith(`${text}`.trimEnd()),
      );
    },
  },
  completesWith(
    'api',
    'a search has a category and a level of detail',
    {
      typescript: `const names = await search_tools('add numbers', 'tools', 'names');
const full = await search_tools('add numbers', { category: 'TOOLS', detail_level: 'full', limit: 1 });
const none = await search_tools('add numbers', 'skills');
const failed = [];
for (const more of [['x', 'nothing'], ['x', {}, 'most']]) await search_tools(...more).catch((error) => failed.push(error.code + ': ' + error.message));
return [names[0], full[0].definition.includes('Adds two numbers'), none, failed];`,
      python: `names = await search_tools("add numbers", "tools", "names")
full = await search_tools("add numbers", category="TOOLS", detail_level="full", limit=1)
none = await search_tools("add numbers", category="skills")
failed = []
for more in ({"category": "nothing"}, {"detail_level": "most"}):
    try:
        await search_tools("x", **more)
    except ToolError as error:
        failed.append(f"{error.code}: {error}")
[names[0], "Adds two numbers" in full[0]["definition"], none, failed]`,
    },
    [
      { name: 'tools__add', server: 'tools' },
      true,
      [],
      [
        'UNKNOWN_SERVER: There is no category "nothing". A category is a server, a word of its name or description, or skills. The servers are: tools, odd.',
        'INVALID_ARGUMENTS: There is no detail level "most". The levels are names, summary, full.',
      ],
    ],
  ),
  completesWith(
    'api',
    'a tool with the name of a reserved word is called by its name',
    `import * as odd from './servers/odd/index.js';
return [await odd.class({ x: 1 }), await servers.odd.class({ x: 2 }), await odd.class_({ x: 3 })].map(({ tool, args }) => [tool, args.x]);`,
    [
      ['class', 1],
      ['class', 2],
      ['class', 3],
    ],
  ),
  completesWith(
    'api',
    'search_tools accepts one query, several queries, a server and a limit',
    {
      typescript: `const names = (hits) => hits.map((hit) => hit.name);
const one = await search_tools('add numbers together');
const many = await search_tools(['add numbers', 'count calls'], { limit: 1 });
const other = await search_tools('add numbers', { server: 'odd' });
return [names(one)[0], names(many).sort(), names(other).includes('tools__add'), typeof one[0].signature];`,
      python: `def names(hits):
    return [hit["name"] for hit in hits]
one = await search_tools("add numbers together")
many = await search_tools(["add numbers", "count calls"], limit=1)
other = await search_tools("add numbers", server="odd")
[names(one)[0], sorted(names(many)), "tools__add" in names(other), "string" if isinstance(one[0]["signature"], str) else ""]`,
    },
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
      python: `answers = {}
for tool in await list_mcp_tools("odd__"):
    answers["_" + tool["name"]] = (await call_mcp_tool(tool["name"], {"x": 1}))["tool"]
answers`,
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
      python: `import servers.odd as odd
tools = set()
for name, function in vars(odd).items():
    if not name.startswith("_"):
        tools.add((await function({"x": 1}))["tool"])
tools`,
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
      python: `import asyncio
await asyncio.gather(*[call_mcp_tool("tools__slow", {"ms": 300}) for _ in range(5)])`,
    },
    check({ result, mostInFlight }) {
      assert.deepEqual(dataOf(result), Array(5).fill('done'));
      assert.equal(mostInFlight(), 5);
    },
  },
  {
    area: 'api',
    name: 'calls are counted and reported',
    programs: {
      typescript: 'await callMCPTool("tools__add", { a: 1, b: 2 }); return 1',
      python: `await call_mcp_tool("tools__add", {"a": 1, "b": 2})
1`,
    },
    check({ result }) {
      assert.equal(result.calls.length, 1);
      const [call] = result.calls;
      assert.deepEqual([call?.number, call?.tool, call?.status], [1, 'tools__add', 'answered']);
      assert.equal(result.stats.toolCalls, 1);
    },
  },
  completesWith(
    'errors',
    'a tool that fails throws a ToolError',
    {
      typescript: `try { await callMCPTool('tools__fail', { message: 'never' }) } catch (error) {
  return [error instanceof ToolError, error instanceof Error, error.name, error.code, error.message, error.details];
}`,
      python: `try:
    await call_mcp_tool("tools__fail", {"message": "never"})
except ToolError as error:
    result = [isinstance(error, ToolError), isinstance(error, Exception), type(error).__name__, error.code, str(error), error.details]`,
    },
    [true, true, 'ToolError', 'TOOL_FAILED', 'never', { why: 'asked to' }],
  ),
  failsWith(
    'errors',
    'an uncaught tool error has the line of the call',
    {
      typescript: "const a = 1;\nawait callMCPTool('tools__fail', { message: 'never' });",
      python: `a = 1
await call_mcp_tool("tools__fail", {"message": "never"})`,
    },
    {
      kind: 'user',
      code: 'TOOL_FAILED',
      message: /never/,
      line: 2,
    },
  ),
  failsWith(
    'errors',
    'an uncaught tool error of a generated function has the line of the call',
    {
      typescript: "import { fail } from './servers/tools/index.js';\n\nawait fail({ message: 'never' });",
      python: `from servers.tools import fail

await fail(message="never")`,
    },
    { code: 'TOOL_FAILED', line: 3 },
  ),
  {
    area: 'errors',
    name: 'an unknown tool gets a suggestion, and nothing is sent',
    programs: {
      typescript: 'await callMCPTool("tools__ad", { a: 1, b: 2 })',
      python: 'await call_mcp_tool("tools__ad", {"a": 1, "b": 2})',
    },
    check({ result, received }) {
      matches(errorOf(result), { code: 'UNKNOWN_TOOL', message: /Did you mean tools__add/, line: 1 });
      assert.deepEqual(received, []);
    },
  },
  {
    area: 'errors',
    name: 'wrong arguments are reported with all problems and the signature, and nothing is sent',
    programs: {
      typescript: 'await callMCPTool("tools__add", { a: "one", c: 3 })',
      python: 'await call_mcp_tool("tools__add", {"a": "one", "c": 3})',
    },
    check({ result, received, language }) {
      const problems = /(?=[\s\S]*\ba\b)(?=[\s\S]*\bb\b)(?=[\s\S]*\bc\b)/;
      const signatures = {
        typescript: /servers\.tools\.add\(\{a: number, b: number\}\)/,
        python: /servers\.tools\.add\(a: float, b: float\)/,
      };
      matches(errorOf(result), { code: 'INVALID_ARGUMENTS', kind: 'user', message: problems });
      matches(errorOf(result), { message: signatures[language] });
      assert.deepEqual(received, []);
    },
  },
  failsWith(
    'errors',
    'a call without a name is explained',
    { typescript: 'await callMCPTool({ a: 1 })', python: 'await call_mcp_tool({"a": 1})' },
    {
      name: 'TypeError',
      message: /(callMCPTool|call_mcp_tool) takes the name/,
    },
  ),
  failsWith(
    'errors',
    'a call with a list of arguments is explained',
    { typescript: 'await callMCPTool("tools__add", [1, 2])', python: 'await call_mcp_tool("tools__add", [1, 2])' },
    {
      name: 'TypeError',
      message: /an array|a list/,
    },
  ),
  {
    area: 'errors',
    name: 'a defect of the host is opaque',
    programs: { typescript: 'await callMCPTool("tools__defect")', python: 'await call_mcp_tool("tools__defect")' },
    check({ result }) {
      matches(errorOf(result), { kind: 'internal', code: 'INTERNAL', message: /^Internal error \[\w+\]/ });
      assert.doesNotMatch(JSON.stringify(result), /secret of the host/);
    },
  },
];
