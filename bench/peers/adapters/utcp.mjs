// UTCP code mode as a library, in isolated-vm. Its calls block the isolate, and its code has no `await`.
import { createRequire } from 'node:module';

export async function open(server, { folder }) {
  const require = createRequire(`${folder}/package.json`);
  await import(require.resolve('@utcp/mcp'));
  const { CodeModeUtcpClient } = await import(require.resolve('@utcp/code-mode'));
  const client = await CodeModeUtcpClient.create(folder);
  await client.registerManual({
    name: 'bench',
    call_template_type: 'mcp',
    config: { mcpServers: { peers: { transport: server.url === undefined ? 'stdio' : 'http', ...server } } },
  });
  const call = (tool, args) => `bench.peers_${tool}(${args})`;
  return {
    dialect: { call, all: (one) => one(call) },
    async run(code, timeoutMs) {
      const { result, logs } = await client.callToolChain(code, timeoutMs);
      const problem = logs.find((line) => line.includes('[ERROR]'));
      if (problem !== undefined) throw new Error(problem);
      return result;
    },
    shown: () => CodeModeUtcpClient.AGENT_PROMPT_TEMPLATE,
    close: () => client.close(),
  };
}
