import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { textOf } from '../fixtures/mcp-clients.ts';
import { fixture } from '../fixtures/server.ts';

const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: 'quickjs',
  mcpServers: { slow: fixture('hangs') },
  tools: {
    a: { tools: { b__c: { run: () => 'of a' }, plain: { run: () => 'no description' } } },
    a__b: { tools: { c: { run: () => 'of a__b' } } },
  },
});
afterAll(() => toolwright.close());

const [near, far] = InMemoryTransport.createLinkedPair();
await (await mcpServers({ open: async () => toolwright, logger: console })({ era: 'modern' })).connect(far);
const client = new Client({ name: 'poor', version: '1.0.0' });
await client.connect(near);
const call = async (name: string, args: Record<string, unknown>) =>
  textOf(await client.callTool({ name, arguments: args }));

describe('a client that shows a model no more than it must', () => {
  test('lists both tools while a server still starts, and calls those of the other servers', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['execute_code', 'search_tools']);
    expect(await call('execute_code', { code: `return callMCPTool('a__plain', {})` })).toBe('no description');
  });

  test('needs no instructions: the definition has the call, the value of both languages, and the missing network', async () => {
    const { tools } = await client.listTools();
    const { description = '' } = tools.find(({ name }) => name === 'execute_code') ?? {};
    for (const fact of ['return await servers.server.tool({})', 'result = ', 'No network'])
      expect(description).toContain(fact);
  });

  test('needs only the names: arguments by other names, and none, are answered with what to write', async () => {
    expect(await call('execute_code', { source: 'return 1' })).toMatch(/\bcode\b/);
    expect(await call('search_tools', {})).toMatch(/\bquery\b/);
  });

  test('finds tools without descriptions by their names, and each of two whose ids collide', async () => {
    expect(await call('search_tools', { query: 'plain' })).toContain('servers.a.plain()');
    const listed = (await toolwright.tools({ waitMs: 0 })).filter(({ server }) => server.startsWith('a'));
    const ids = listed.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    const values = await Promise.all(
      ids.map((id) => call('execute_code', { code: `return callMCPTool(${JSON.stringify(id)}, {})` })),
    );
    expect(values.toSorted()).toEqual(['no description', 'of a', 'of a__b']);
  });
});
