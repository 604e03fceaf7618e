// Calls the tools of a benchmark directly, with the client of the SDK.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export async function connectDirectly(url) {
  const client = new Client({ name: 'direct', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    /** Makes the calls one after the other. One that fails does not stop the others. */
    async run(actions) {
      for (const { name, arguments: args } of actions) await client.callTool({ name, arguments: args });
    },
    /** Makes a call, and returns the text that a model reads. An error of the tool is thrown. */
    async call(name, args) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const text = content.map((block) => block.text).join('\n');
      if (isError) throw new Error(text);
      return { text, data: text };
    },
    close: () => client.close(),
  };
}
