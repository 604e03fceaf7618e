// The Vercel AI SDK: the tools of its MCP client, and their output for a model.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

/** @param {import('./client.d.ts').ServerCommand} server */
export async function open(server) {
  const client = await createMCPClient({ transport: new Experimental_StdioMCPTransport(server) });
  const tools = await client.tools();
  return {
    names: async () => Object.keys(tools),
    async call(name, input) {
      const output = await tools[name].execute(input, { toolCallId: '1', messages: [] });
      const { value } = await tools[name].toModelOutput({ toolCallId: '1', input, output });
      const texts = [value].flat().map((part) => (part.type === 'file' ? '' : (part.text ?? JSON.stringify(part))));
      const images = [value].flat().filter(({ type }) => type === 'file');
      return { text: texts.filter(Boolean).join('\n'), images: images.map(({ mediaType }) => mediaType) };
    },
    close: () => client.close(),
  };
}
