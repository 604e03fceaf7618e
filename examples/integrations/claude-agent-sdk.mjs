// The Claude Agent SDK. Pass the server to `query({ prompt, options: { mcpServers: { toolwright: server } } })`. This example calls
// its tools as Claude Code does, over MCP.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { codeServer } from 'toolwright/claude-agent-sdk';
import { LOOK, openShop, PHOTO, REFUND, refunds, SUM } from './shop.mjs';

const toolwright = await openShop();
const asked = [];
const server = await codeServer(toolwright, {
  onApproval({ tool, arguments: args }) {
    asked.push([tool, args]);
    return { action: 'approve', by: 'ann' };
  },
});

const [ours, theirs] = InMemoryTransport.createLinkedPair();
await server.instance.connect(theirs);
const claude = new Client({ name: 'claude', version: '1' });
await claude.connect(ours);
const execute = async (code) => claude.callTool({ name: 'execute_code', arguments: { code } });

assert.match(claude.getInstructions(), /shop/);
assert.deepEqual((await execute(SUM)).content, [{ type: 'text', text: '55' }]);
assert.equal((await execute('return callMCPTool("shop__refnd", {})')).isError, true);

assert.deepEqual((await execute(LOOK)).content[1], { type: 'image', mimeType: 'image/png', data: PHOTO });

const refunded = await execute(REFUND);
assert.deepEqual(asked, [['shop__refund', { order: 'A-17' }]]);
assert.deepEqual([refunded.content[0].text, refunds], ['[{"refunded":"A-17"}]', ['A-17']]);
await claude.close();
await toolwright.close();
