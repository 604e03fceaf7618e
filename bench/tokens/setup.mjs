// A catalog of a given size, connected to Toolwright's MCP server and to plain clients.
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { agents, shownDefinition } from './agent.mjs';
import { pad } from './padding.mjs';
import { connectDirectly, serverConfigs } from './real-servers.mjs';

/** Connects `size` tools; the smallest size has only those of the tasks. The caller closes it. */
export async function openSetup(folder, size, padding, smallest) {
  const configs = serverConfigs(folder, size > smallest);
  const clients = await connectDirectly(configs);
  const rest = pad(padding, size - clients.definitions.length);
  const toolwright = await createToolwright({
    mcpServers: configs,
    tools: rest.tools,
    dataDir: join(folder, 'state', String(size)),
    limits: { timeoutMs: 60_000 },
  });
  const servers = await toolwright.servers({ load: true, waitMs: 30_000 });
  const connected = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  if (connected !== size) throw new Error(`${connected} tools are connected instead of ${size}`);
  const { name: sandbox } = await toolwright.sandbox();
  const [full, core] = [agents(toolwright, 'full'), agents(toolwright, 'core')];
  const agent = { full: await full.connect(), core: await core.connect() };
  const tools = [...clients.definitions, ...rest.definitions];
  return {
    size,
    sandbox,
    clients,
    agent,
    /** A client of the default profile whose instructions know the tools that its programs called before. */
    connectAgain: full.connectAgain,
    /** All definitions in the form in which a client sends them to a model. */
    definitions: tools.map(({ server, name, ...rest }) => shownDefinition({ ...rest, name: `${server}__${name}` })),
    close: () =>
      Promise.all([clients.close(), ...Object.values(agent).map(({ close }) => close())]).then(() =>
        toolwright.close(),
      ),
  };
}
