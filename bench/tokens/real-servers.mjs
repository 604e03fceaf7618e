// The real servers: npm reference servers and the fixtures of this benchmark, over stdio.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unwrap } from '../../packages/connectors/build/mcp/messages/call-results.js';
import { statePaths } from './state.mjs';

const require = createRequire(import.meta.url);
const reference = (name, ...args) => ({
  command: process.execPath,
  args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});
const fixture = (name, store) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url)), store],
});

/** Returns the server configurations. `everything` only enlarges catalogs; no task needs it. */
export function serverConfigs(folder, withEverything) {
  const paths = statePaths(folder);
  return {
    filesystem: { ...reference('filesystem', paths.files), cwd: paths.files },
    memory: { ...reference('memory'), env: { MEMORY_FILE_PATH: paths.graph } },
    crm: fixture('crm', paths.crm),
    tickets: fixture('tickets', paths.tickets),
    calendar: fixture('calendar', paths.calendar),
    ...(withEverything ? { everything: reference('everything', 'stdio') } : {}),
  };
}

/** Connects clients to all servers, for the arms with direct calls. */
export async function connectDirectly(configs) {
  const servers = new Map();
  const definitions = [];
  for (const [name, { command, args, env, cwd }] of Object.entries(configs)) {
    const client = new Client({ name: 'direct', version: '1.0.0' });
    const environment = { PATH: process.env.PATH, ...env };
    await client.connect(new StdioClientTransport({ command, args, env: environment, cwd, stderr: 'ignore' }));
    servers.set(name, client);
    for (const tool of (await client.listTools()).tools) definitions.push({ server: name, ...tool });
  }
  return {
    definitions,
    /** Calls a tool. Returns its data, and the texts that clients show to a model. */
    async call(id, args) {
      const [server, name] = id.split('__');
      const result = await servers.get(server).callTool({ name, arguments: args });
      const text = result.content.map((block) => block.text ?? JSON.stringify(block)).join('\n');
      const { structuredContent } = result;
      return { data: await unwrap(result), text, structured: structuredContent && JSON.stringify(structuredContent) };
    },
    close: () => Promise.all([...servers.values()].map((client) => client.close())),
  };
}
