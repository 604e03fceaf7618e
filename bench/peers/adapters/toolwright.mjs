// Toolwright as it is installed: its default sandbox, redaction, validation, type check and journal are on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createToolwright } from 'toolwright';
import { ROOT } from '../../../scripts/packages.mjs';
import { asyncDialect } from '../jobs.mjs';

export async function open(server, { sandbox }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-peers-'));
  const toolwright = await createToolwright({
    dataDir,
    mcpServers: { peers: server },
    ...(sandbox ? { sandbox } : {}),
  });
  return {
    dialect: asyncDialect((tool, args) => `callMCPTool('peers__${tool}', ${args})`),
    async run(code, timeoutMs) {
      const result = await toolwright.execute(code, { limits: { timeoutMs } });
      if (result.status !== 'completed') throw new Error(result.message ?? result.error?.message ?? result.status);
      return result.value;
    },
    shown: () => shownBy(server),
    async close() {
      await toolwright.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the definitions and instructions that a client of our MCP server shows to its model. */
async function shownBy(server) {
  const client = new Client({ name: 'bench', version: '1' });
  const cli = join(ROOT, 'packages/toolwright/dist/cli.js');
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-peers-'));
  const config = join(folder, 'toolwright.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { peers: server }, dataDir: join(folder, 'data') }));
  const env = { ...process.env, TOOLWRIGHT_LOG: 'error' };
  const args = [cli, 'mcp', '--config', config];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  const { tools } = await client.listTools();
  const shown = JSON.stringify(tools) + (client.getInstructions() ?? '');
  await client.close();
  rmSync(folder, { recursive: true, force: true });
  return shown;
}
