// The OpenAI Agents SDK: an agent with the server, and the items that its model receives.
import { Agent, MCPServerStdio, Runner, setTracingDisabled, Usage } from '@openai/agents';

setTracingDisabled(true);

/** @param {import('./client.d.ts').ServerCommand} server */
export async function open({ command, args, cwd }) {
  const server = new MCPServerStdio({ name: 'toolwright', command, args, cwd, clientSessionTimeoutSeconds: 120 });
  await server.connect();
  return {
    names: async () => (await server.listTools()).map(({ name }) => name),
    async call(name, input) {
      let output;
      const model = {
        async getResponse({ input: items }) {
          output = items.findLast?.(({ type }) => type === 'function_call_result')?.output;
          const call = {
            type: 'function_call',
            status: 'completed',
            callId: '1',
            name,
            arguments: JSON.stringify(input),
          };
          const text = { type: 'output_text', text: 'done' };
          const end = { type: 'message', role: 'assistant', status: 'completed', content: [text] };
          return { usage: new Usage(), output: [output === undefined ? call : end] };
        },
      };
      await new Runner().run(new Agent({ name: 'Client', model, mcpServers: [server] }), 'go');
      const parts = [output].flat().map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
      const images = parts.filter(({ type }) => /image/.test(type));
      const others = parts.filter((part) => !images.includes(part));
      const text = others.map((part) => part.text ?? JSON.stringify(part)).join('\n');
      return { text, images: images.map((part) => /image\/\w+/.exec(JSON.stringify(part))?.[0] ?? 'image') };
    },
    close: () => server.close(),
  };
}
