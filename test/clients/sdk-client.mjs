const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** Connects a client of an official SDK. A product that uses it gives the blocks to its model. */
export async function connected(client, transport) {
  await client.connect(transport);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => shownResult(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
}

/**
 * Returns the texts and the media types of a result. Some products show their model the structured content and `_meta` as well, so
 * that these count too. The SDK adds the name of the server, which is not ours to leave out.
 */
export function shownResult({ content, structuredContent, _meta: { [SERVER_INFO]: _name, ...meta } = {} }) {
  const images = content.filter(({ type }) => type === 'image');
  const others = content.filter((block) => !images.includes(block)).map((block) => block.text ?? JSON.stringify(block));
  const more = [structuredContent, ...Object.values(meta)].filter((part) => part !== undefined);
  return {
    text: [...others, ...more.map((part) => JSON.stringify(part))].join('\n'),
    images: images.map(({ mimeType }) => mimeType),
  };
}
