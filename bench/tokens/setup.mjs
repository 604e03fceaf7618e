// A catalog of a certain size, connected twice: to Toolwright's own MCP server, and to plain clients.
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { MAX_INDEXED_TOOLS } from '../../packages/server/dist/agent/instructions.js';
import { connectAgent, shownDefinition } from './agent.mjs';
import { pad } from './padding.mjs';
import { connectDirectly, serverConfigs } from './upstreams.mjs';

/** `size` connected tools; the smallest size has those of the tasks only. Close it when done. */
export async function openSetup(folder, size, padding, smallest) {
  const configs = serverConfigs(folder, size > smallest);
  const clients = await connectDirectly(configs);
  const rest = pad(padding, size - clients.definitions.length);
  const toolwright = await createToolwright({
    // The other ways show a model the values: outcomes are to be the same. A placeholder costs about as much as a value.
    pii: { mode: 'off' },
    mcpServers: configs,
    tools: rest.tools,
    dataDir: join(folder, 'state'),
    limits: { timeoutMs: 60_000 },
  });
  const servers = await toolwright.servers({ load: true, waitMs: 30_000 });
  const connected = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  if (connected !== size) throw new Error(`${connected} tools are connected in place of ${size}`);
  const { name: sandbox } = await toolwright.sandbox();
  const agent = await connectAgent(toolwright);
  const tools = [...clients.definitions, ...rest.definitions];
  return {
    size,
    sandbox,
    clients,
    agent,
    /** Whether the instructions of our server name all tools. */
    indexed: size <= MAX_INDEXED_TOOLS,
    /** All definitions as a client hands them to a model. */
    definitions: tools.map(({ server, name, ...rest }) => shownDefinition({ ...rest, name: `${server}__${name}` })),
    close: () => Promise.all([clients.close(), agent.close().then(() => toolwright.close())]),
  };
}
