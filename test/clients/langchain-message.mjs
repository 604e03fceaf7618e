/** Calls a tool of LangChain like an agent does. Returns the parts of the message for the model; errors are texts. */
export async function messageOf(tools, name, args) {
  const tool = tools.find((each) => each.name === name);
  const answer = await tool.invoke({ type: 'tool_call', id: '1', name, args }).catch((error) => error.message);
  const parts = [answer?.content ?? answer].flat().map((part) => (typeof part === 'string' ? { text: part } : part));
  const images = parts.filter(({ type }) => /image/.test(type));
  const others = parts.filter((part) => !images.includes(part));
  return {
    text: others.map((part) => part.text ?? JSON.stringify(part)).join('\n'),
    images: images.map((part) => part.mimeType ?? part.mime_type ?? /image\/\w+/.exec(JSON.stringify(part))?.[0]),
  };
}
