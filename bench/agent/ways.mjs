// The ways in which an agent may use the tools: the definitions that its model sees, and the function that runs a call.
import { CALL_TOOL } from '../tokens/agent.mjs';

const SYSTEM = 'Do the task with the tools. Then answer in one short text without Markdown.';

/** Ways by short name. `open` returns the system prompt, the tools, and the function that runs a call. */
export const WAYS = {
  direct: {
    title: 'direct calling, all definitions',
    open: ({ clients, definitions }) => ({ system: SYSTEM, tools: definitions.map(modelTool), call: direct(clients) }),
  },
  search: {
    title: 'search + call',
    open: ({ clients, agent: { core } }) => ({
      system: SYSTEM,
      tools: [modelTool(core.searchDefinition), CALL_TOOL],
      call: (name, input) =>
        name === 'call_tool' ? direct(clients)(input.name, input.arguments ?? {}) : core.call(name, input),
    }),
  },
  full: { title: 'Toolwright', open: ({ agent: { full } }) => toolwright(full) },
  core: { title: 'Toolwright, profile core', open: ({ agent: { core } }) => toolwright(core) },
};

function toolwright(agent) {
  return {
    system: `${SYSTEM}\n${agent.instructions}`,
    tools: agent.definitions.map(modelTool),
    call: agent.call,
    restore: agent.restore,
  };
}

function direct(clients) {
  return async (id, args) => {
    try {
      const { data, text } = await clients.call(id, args);
      return { text, value: data, isError: false };
    } catch (error) {
      return { text: error.message, isError: true };
    }
  };
}

function modelTool(definition) {
  const { name, description = '', input_schema: inputSchema } = JSON.parse(definition);
  return { name, description, inputSchema };
}
