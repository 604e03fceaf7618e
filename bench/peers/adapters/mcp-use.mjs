// The code mode of mcp-use with its default executor, `node:vm` in its own process.
import { createRequire } from 'node:module';
import { asyncDialect } from '../jobs.mjs';

export async function open(server, { folder }) {
  const require = createRequire(`${folder}/package.json`);
  const loaded = await import(require.resolve('mcp-use'));
  const { MCPClient } = loaded.default ?? loaded;
  const client = new MCPClient({ mcpServers: { peers: server } }, { codeMode: true });
  await client.createAllSessions();
  const session = client.getSession('code_mode');
  return {
    dialect: asyncDialect((tool, args) => `peers.${tool}(${args})`),
    async run(code, timeoutMs) {
      const { result, error } = await client.executeCode(code, timeoutMs);
      if (error) throw new Error(String(error));
      return result;
    },
    shown: () => JSON.stringify(session?.connector?.tools ?? []),
    close: () => client.closeAllSessions(),
  };
}
