import assert from 'node:assert/strict';
import { completesWith, dataOf, type SandboxCase } from './case.ts';

/** Names of tools in the text of a program, and names from values. */
export const TOOL_NAME_CASES: readonly SandboxCase[] = [
  {
    area: 'api',
    name: 'a name that the program does not write calls no tool that may write',
    programs: {
      typescript: `const [hit] = await search_tools('counts its calls');
const all = await import('./servers/tools/index.js');
const tries = [() => callMCPTool(hit.name), () => callMCPTool(['tools', 'COUNTER'].join('__').toLowerCase()), () => all[hit.name.slice(7)]()];
const codes = [];
for (const call of tries) await call().catch((error) => codes.push(error.code, error.message));
return codes;`,
      python: `from servers import tools
[hit] = await search_tools("counts its calls", limit=1)
tries = [lambda: call_mcp_tool(hit["name"]), lambda: call_mcp_tool("__".join(["tools", "COUNTER".lower()])), lambda: getattr(tools, hit["name"][7:])()]
codes = []
for call in tries:
    try:
        await call()
    except Exception as error:
        codes += [error.code, str(error)]
codes`,
    },
    check({ result, received }) {
      const [code, message, ...others] = dataOf(result) as string[];
      assert.equal(code, 'TOOL_NOT_NAMED');
      assert.match(String(message), /^tools__counter is not read-only.*\n.*(?:tools__counter|servers\.tools)/);
      assert.deepEqual(others, [code, message, code, message]);
      assert.deepEqual(received, []);
    },
  },
  completesWith(
    'api',
    'a name that the program writes calls its tool, also by a variable or from two texts',
    {
      typescript: `const list = ['tools__counter', 'tools__text'];
const [tool, server] = ['counter', 'tools'];
const { counter } = await import('./servers/tools/index.js');
return [await callMCPTool(list[list.length - 2]), await callMCPTool(\`\${server}__\${tool}\`), await counter(), await servers.tools.counter()];`,
      python: `from servers import tools as t
from servers.tools import counter as count
names, tool, server = ["tools__counter", "tools__text"], "counter", "tools"
[await call_mcp_tool(names[len(names) - 2]), await call_mcp_tool(f"{server}__{tool}"), await count(), await t.counter()]`,
    },
    [1, 2, 3, 4],
  ),
];
