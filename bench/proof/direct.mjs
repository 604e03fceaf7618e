// Makes the gold calls of a task directly, with the client of the SDK.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export async function connectDirectly(url) {
  const client = new Client({ name: 'direct', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    /** Makes the calls one after the other. One that fails does not stop the others. */
    async run(actions) {
      for (const { name, arguments: args } of actions) await client.callTool({ name, arguments: args });
    },
    close: () => client.close(),
  };
}
