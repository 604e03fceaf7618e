import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `const texts = [];
for (const tool of await list_mcp_tools()) texts.push(JSON.stringify(tool), await get_mcp_tool_details(tool.name));
texts.push(JSON.stringify(await search_tools('S3cret')), String(await callMCPTool('tools__nothing')));
return texts.join('\\n').slice(0, 30_000);`,
  badSandbox: 'not-run',
};

export default attack;
