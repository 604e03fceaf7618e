import type { ServerContext } from '@modelcontextprotocol/server';
import { SpanKind } from '@opentelemetry/api';
import { callerContext, failSpan, inSpan } from '@toolwright/connectors/internal';

/** Runs a call of a tool of the MCP server within a span, in the trace that `params._meta` names. */
export async function inToolSpan<T extends object>(
  tool: string,
  { mcpReq, http }: ServerContext,
  work: () => Promise<T>,
): Promise<T> {
  const { method, id, _meta = {} } = mcpReq;
  const attributes = {
    'mcp.method.name': method,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'jsonrpc.request.id': String(id),
    'network.transport': http === undefined ? 'pipe' : 'tcp',
  };
  const options = { kind: SpanKind.SERVER, attributes, parent: callerContext(_meta) };
  return inSpan(`${method} ${tool}`, options, async (span) => {
    const result = await work();
    // A failed tool call is a successful response in JSON-RPC.
    if ('isError' in result && result.isError === true) failSpan(span, 'tool_error');
    return result;
  });
}
