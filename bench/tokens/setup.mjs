// A catalog of a given size, connected to Toolwright's MCP server and to plain clients.
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { MAX_INDEXED_TOOLS } from '../../packages/server/dist/agent/instructions.js';
import { connectAgent, shownDefinition } from './agent.mjs';
import { pad } from './padding.mjs';
import { connectDirectly, serverConfigs } from './real-servers.mjs';

/** Connects `size` tools; the smallest size has only those of the tasks. The caller closes it. */
export async function openSetup(folder, size, padding, smallest) {
  const configs = serverConfigs(folder, size > smallest);
  const clients = await connectDirectly(configs);
  const rest = pad(padding, size - clients.definitions.length);
  const toolwright = await createToolwright({
    // The other arms show values to the model, and outcomes must be equal. A placeholder has about as many tokens as a value.
    pii: { mode: 'off' },
    mcpServers: configs,
    tools: rest.tools,
    dataDir: join(folder, 'state'),
    limits: { timeoutMs: 60_000 },
  });
  const servers = await toolwright.servers({ load: true, waitMs: 30_000 });
  const connected = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  if (connected !== size) throw new Error(`${connected} tools are connected instead of ${size}`);
  const { name: sandbox } = await toolwright.sandbox();
  const agent = await connectAgent(toolwright);
  const tools = [...clients.definitions, ...rest.definitions];
  return {
    size,
    sandbox,
    clients,
    agent,
    /** Whether the instructions of the MCP server name all tools. */
    indexed: size <= MAX_INDEXED_TOOLS,
    /** All definitions in the form in which a client sends them to a model. */
    definitions: tools.map(({ server, name, ...rest }) => shownDefinition({ ...rest, name: `${server}__${name}` })),
    close: () => Promise.all([clients.close(), agent.close().then(() => toolwright.close())]),
  };
}
