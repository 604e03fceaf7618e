// A client of Toolwright's MCP server. Definitions, instructions and responses are those that users get.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { openRecentTools } from '../../packages/server/build/mcp/instructions/recent-tools.js';
import { mcpServers } from '../../packages/server/build/mcp.js';

/** The second tool of an agent that uses our search and calls each tool directly. */
export const CALL_TOOL = {
  name: 'call_tool',
  description: 'Calls a tool that search_tools found.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'server__tool' }, arguments: { type: 'object' } },
    required: ['name', 'arguments'],
  },
};

/** The end of a text that explains placeholders. The scripted plan does not need it. */
const NOTE = /\n\[EMAIL_1\] hides a value; .*$/;

/**
 * Connects a client for each conversation. `connect` returns a client without earlier use of tools, and `connectAgain` one whose
 * instructions know the tools of earlier programs.
 */
export function agents(toolwright, profile) {
  const open = async () => toolwright;
  const unused = () => mcpServers({ open, profile, logger: console });
  const used = mcpServers({ open, profile, logger: console, recent: openRecentTools() });
  return { connect: () => connect(unused(), toolwright), connectAgain: () => connect(used, toolwright) };
}

async function connect(servers, toolwright) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await (await servers({})).connect(far);
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(near);
  const { tools } = await client.listTools();
  return {
    definitions: tools.map(shownDefinition),
    searchDefinition: shownDefinition(tools.find(({ name }) => name === 'search_tools')),
    instructions: client.getInstructions() ?? '',
    /** Calls a tool. A client shows a model `text`, and some clients also `beside`. */
    async call(name, args) {
      const started = performance.now();
      const { content, structuredContent, isError = false, _meta } = await client.callTool({ name, arguments: args });
      const text = content.map((block) => block.text).join('\n');
      return {
        text,
        // LangChain shows a model these too, where a server sends them.
        beside: [structuredContent, _meta].filter(Boolean).map((data) => JSON.stringify(data)),
        value: parsed(text.replace(NOTE, '')),
        isError,
        ms: performance.now() - started,
      };
    },
    /** Returns an answer as a person sees it. */
    restore: (answer) => toolwright.pii.restore(answer, { reader: 'user' }),
    close: () => client.close(),
  };
}

/** Returns the value in the text of an execution: JSON, or a plain text. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a definition in the form in which clients send it to a model. */
export function shownDefinition({ name, description, inputSchema }) {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}
