// A catalog of a given size, connected to Toolwright's MCP server and to plain clients.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { agents, shownDefinition } from './agent.mjs';
import { pad } from './padding.mjs';
import { connectDirectly, serverConfigs } from './real-servers.mjs';

/**
 * Connects `size` tools; the smallest size has only those of the tasks. Each setup has a Toolwright with a data folder of its own: an arm must
 * not learn from the searches and calls of another one. The caller closes it.
 */
export async function openSetup(folder, size, padding, smallest) {
  const configs = serverConfigs(folder, size > smallest);
  const clients = await connectDirectly(configs);
  const rest = pad(padding, size - clients.definitions.length);
  const toolwright = await createToolwright({
    mcpServers: withSameTools(configs, clients.definitions),
    tools: rest.tools,
    dataDir: mkdtempSync(join(folder, `state-${size}-`)),
    limits: { timeoutMs: 60_000 },
  });
  const servers = await toolwright.servers({ load: true, waitMs: 30_000 });
  const connected = servers.reduce((sum, { toolCount }) => sum + toolCount, 0);
  if (connected !== size) throw new Error(`${connected} tools are connected instead of ${size}: ${missing(servers)}`);
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
    connectAgain: core.connectAgain,
    /** All definitions in the form in which a client sends them to a model. */
    definitions: tools.map(({ server, name, ...rest }) => shownDefinition({ ...rest, name: `${server}__${name}` })),
    close: () =>
      Promise.all([clients.close(), ...Object.values(agent).map(({ close }) => close())]).then(() =>
        toolwright.close(),
      ),
  };
}

/** Some servers list more tools to a client that has more abilities, such as sampling. All arms need the same ones. */
function withSameTools(configs, definitions) {
  const namesOf = (name) => definitions.filter(({ server }) => server === name).map((tool) => tool.name);
  return Object.fromEntries(
    Object.entries(configs).map(([name, config]) => [name, { ...config, tools: { allow: namesOf(name) } }]),
  );
}

/** Returns the servers that are not ready, and the tools that are left out, for an error. */
function missing(servers) {
  return servers
    .flatMap(({ name, status, omittedTools = [] }) => [
      ...(status.state === 'ready' ? [] : [`${name} is ${status.state}`]),
      ...omittedTools.map((tool) => `${name}__${tool.name}: ${tool.problem}`),
    ])
    .slice(0, 10)
    .join('; ');
}
