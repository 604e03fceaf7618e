// The MCP client of Toolwright, which runs one scenario of the suite. The suite passes the URL as the last argument.
import { mcpConnector } from '../../packages/core/build/connectors/mcp.js';

const { MCP_CONFORMANCE_CONTEXT = '{}', MCP_CONFORMANCE_PROTOCOL_VERSION } = process.env;
const protocol = MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28' ? 'modern' : 'legacy';

/** Arguments of the tools in scenarios; other tools have no arguments. */
const ARGUMENTS = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: 'us-west1' } };

const connector = mcpConnector(
  'suite',
  { url: process.argv.at(-1), type: 'http', protocol },
  { log: (line) => console.error(line) },
);
try {
  const tools = await connector.tools();
  const { toolCalls = tools.map(({ name }) => ({ name, arguments: ARGUMENTS[name] })) } =
    JSON.parse(MCP_CONFORMANCE_CONTEXT);
  for (const { name, arguments: args = {} } of toolCalls) {
    const outcome = await connector.call(name, args).catch(({ code, message }) => ({ code, message }));
    console.error(name, JSON.stringify(outcome));
  }
} finally {
  await connector[Symbol.asyncDispose]();
}
