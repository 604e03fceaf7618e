import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SpanKind } from '@opentelemetry/api';
import { callerContext, failSpan, inSpan, isObject } from '@toolwright/connectors/internal';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { errorResponse } from '../agent/loop/tool-response.ts';
import { type DirectCall, directCallError } from '../code-tools/direct-call.ts';
import { readArguments } from '../code-tools/read-arguments.ts';
import type { Caller, Handler, HandlerResult } from './call.ts';
import { asksForData, toCallResult } from './call-result.ts';
import type { ContextCaller } from './context/resources.ts';
import { HANDLERS } from './handlers.ts';
import { redactError, redactResponse } from './redaction.ts';
import type { DefaultSessions } from './sessions/default-session.ts';
import { DEFINITIONS, type ToolName } from './tools/definitions.ts';
import { callDirectly, type DirectTool, definitionOf, directTools } from './tools/direct-tools.ts';

interface ToolServing extends ContextCaller {
  /** The own tools that this client lists. */
  readonly listed: readonly ToolName[];
  /** The own tools that this client may call: clients of earlier versions know tools that are not listed. */
  readonly own: readonly ToolName[];
  readonly sessions: DefaultSessions;
  readonly caller: Omit<Caller, 'toolwright'>;
  /** Whether clients call tools of servers directly. */
  readonly hasDirect: boolean;
  readonly logger: Logger;
}

type Result = CallToolResult | InputRequiredResult;

/** Serves the own tools of Toolwright, and the tools of servers that clients call directly. */
export function serveTools({ server }: McpServer, serving: ToolServing): void {
  const { listed, own, open, user, hasDirect } = serving;
  const definitions = listed.map(listedDefinition);
  server.setRequestHandler('tools/list', async () => {
    if (!hasDirect) return { tools: definitions };
    const toolwright = await open();
    const direct = await directTools(toolwright);
    const others = await Promise.all(direct.map((each) => definitionOf(each, { pii: toolwright.pii, user })));
    return { tools: [...definitions, ...others] };
  });
  // The SDK would validate arguments, and answer an unknown tool, in words that a model cannot act on.
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const known = own.find((tool) => tool === name);
    if (known) return runOwn(known, args, context, serving);
    const toolwright = await open();
    const direct = hasDirect ? directTool(name, await directTools(toolwright)) : undefined;
    if (!direct) return unknownTool({ name, args, own: listed, language: 'typescript', userId: user }, toolwright);
    const call = async () => {
      try {
        return await callDirectly(direct, args, { caller: { ...serving.caller, toolwright }, context });
      } catch (error) {
        if (!(error instanceof ToolwrightError)) throw error;
        return redactError(error, toolwright.pii, { user });
      }
    };
    return inToolSpan(name, context, () => answer(name, call, serving, false));
  });
  if (hasDirect) announceChanges(server, open);
  acceptTexts(server);
}

/** Turns arguments that are JSON text into the object, as some clients send them: the SDK would refuse the call with a dump. */
function acceptTexts(server: McpServer['server']): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const { params } = message as { readonly params?: { arguments?: unknown } };
      if ('method' in message && message.method === 'tools/call' && params && !isObject(params.arguments ?? {}))
        params.arguments = objectIn(params.arguments) ?? { arguments: params.arguments };
      onmessage?.(message, extra);
    };
    return connect(transport);
  };
}

function objectIn(value: unknown): object | undefined {
  try {
    const parsed: unknown = JSON.parse(String(value));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a tool by its name. A view calls tools by the names of its server: such a name must belong to one server with views only. */
function directTool(name: string, all: readonly DirectTool[]): DirectTool | undefined {
  const named = all.find((each) => each.name === name);
  if (named) return named;
  const own = all.filter(({ tool: { definition } }) => definition.name === name);
  const [only] = own.length === 1 ? own : [];
  const hasView = all.some(
    ({ tool }) => tool.server === only?.tool.server && tool.definition.ui?.resourceUri !== undefined,
  );
  return hasView ? only : undefined;
}

/** Notifies a client of a session when the list has changed. */
function announceChanges(server: McpServer['server'], open: ToolServing['open']): void {
  let end: (() => void) | undefined;
  let isClosed = false;
  const { oninitialized, onclose } = server;
  server.oninitialized = () => {
    oninitialized?.();
    void open().then(({ onToolsChanged }) => {
      if (!isClosed) end ??= onToolsChanged(() => void server.sendToolListChanged().catch(() => undefined));
    });
  };
  server.onclose = () => {
    onclose?.();
    isClosed = true;
    end?.();
  };
}

function listedDefinition(name: ToolName): McpTool {
  const { title, description, annotations, inputSchema, _meta } = DEFINITIONS[name];
  // The SDK's type of JSON Schema has no readonly arrays.
  return {
    name,
    title,
    description,
    inputSchema: structuredClone(inputSchema) as never,
    annotations,
    _meta,
  };
}

function runOwn(name: ToolName, args: unknown, context: ServerContext, serving: ToolServing): Promise<Result> {
  const { open, user, sessions, caller } = serving;
  const handler: Handler = HANDLERS[name];
  const call = async () => {
    const toolwright = await open();
    let session: unknown;
    try {
      const filled = await sessions.fill(name, readArguments(name, DEFINITIONS[name], args), { toolwright, user });
      session = filled.sessionId;
      const found = await handler(filled as never, { ...caller, toolwright }, context);
      return 'resultType' in found ? found : redactResponse(found, name, toolwright.pii, { user, session });
    } catch (error) {
      if (!(error instanceof ToolwrightError)) throw error;
      return redactError(error, toolwright.pii, { user, session });
    }
  };
  return inToolSpan(name, context, () => answer(name, call, serving, asksForData(context)));
}

async function answer(
  name: string,
  call: () => Promise<HandlerResult | Result>,
  { logger }: ToolServing,
  withData: boolean,
): Promise<Result> {
  try {
    const found = await call();
    // The SDK has no type for tasks, and passes them on.
    if ('resultType' in found || 'content' in found) return found as Result;
    return toCallResult(found, withData);
  } catch (error) {
    if (error instanceof ToolwrightError) return toCallResult(errorResponse(error), withData);
    const id = randomUUID();
    logger.error({ id, tool: name, err: error }, 'internal error');
    const message = `Internal error [${id}]. The log of the server has the details.`;
    return toCallResult(errorResponse(new ToolwrightError('INTERNAL', message)), withData);
  }
}

/** Answers a call of a tool of a server with the program to write. Raises a protocol error for any other tool. */
async function unknownTool(call: DirectCall, toolwright: Toolwright): Promise<CallToolResult> {
  const { isInner, error } = await directCallError(toolwright, call);
  const response = await redactError(error, toolwright.pii, { user: call.userId, session: undefined });
  if (isInner) return toCallResult(response, false);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, response.text);
}

/** Runs a call of a tool of the MCP server within a span, in the trace that `params._meta` names. */
async function inToolSpan<T extends object>(
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
