// executor as its users run it: an MCP server on stdio, with the tools of a server that it starts. The server is added by a program, and
// its connection by the API of its web application.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asyncDialect } from '../jobs.mjs';

const START_MS = 30_000;

export async function open(server, { folder }) {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-peers-'));
  const command = join(folder, 'node_modules/.bin/executor');
  const env = { ...process.env, HOME: home };
  const client = new Client({ name: 'bench', version: '1' });
  const args = ['mcp', '--scope', home, '--elicitation-mode', 'model'];
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
  const execute = async (code, timeout) => {
    let answer = await client.callTool({ name: 'execute', arguments: { code } }, { timeout });
    while (answer.structuredContent?.status === 'waiting_for_interaction') {
      const { executionId } = answer.structuredContent;
      const decision = { executionId, action: 'accept', content: '{}' };
      answer = await client.callTool({ name: 'resume', arguments: decision }, { timeout });
    }
    const { result, error } = answer.structuredContent ?? {};
    if (answer.isError || error) throw new Error(JSON.stringify(error ?? answer.content).slice(0, 200));
    return result;
  };
  const settings = JSON.stringify({ transport: 'stdio', name: 'peers', slug: 'peers', ...server });
  await execute(`return await tools.executor.mcp.addServer(${settings});`, START_MS);
  await connect(command, env, home);
  const { tools } = await client.listTools();
  return {
    dialect: asyncDialect((tool, given) => `tools.peers.user.main.${tool}(${given})`),
    run: execute,
    shown: () => JSON.stringify(tools) + (client.getInstructions() ?? ''),
    async close() {
      await client.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Creates the connection to the server through the web application, which needs no key on this machine. */
async function connect(command, env, home) {
  const port = await freePort();
  const web = spawn(command, ['web', '--port', String(port), '--scope', home], { env, stdio: 'ignore' });
  const body = JSON.stringify({ owner: 'user', name: 'main', integration: 'peers', template: 'none', value: '' });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  try {
    for (const startedMs = performance.now(); ; await sleep(100)) {
      const response = await fetch(`http://127.0.0.1:${port}/api/connections`, request).catch(() => undefined);
      if (response?.ok) return;
      if (performance.now() - startedMs > START_MS) throw new Error('executor created no connection');
    }
  } finally {
    web.kill();
    await once(web, 'exit');
  }
}

async function freePort() {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address();
  listening.close();
  await once(listening, 'close');
  return port;
}
