import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await search_tools('add numbers '.repeat(1e5)).catch(() => 0); await search_tools(Array(1e5).fill('add')).catch(() => 0); await get_mcp_tool_details('tools__' + 'a'.repeat(5e6)).catch(() => 0); await callMCPTool('x'.repeat(5e6), {}).catch(() => 0)`,
  limits: { timeoutMs: 2_000 },
  badSandbox: 'not-run',
};

export default attack;
