import { createHash } from 'node:crypto';
import type { CallToolResult, InputRequiredResult, Tool as McpTool, ServerContext } from '@modelcontextprotocol/server';
import { acceptedAnnotations } from '@toolwright/connectors';
import type { JsonSchema, Tool, Toolwright } from '@toolwright/core';
import type { ToolResponse } from '../../agent/loop/tool-response.ts';
import type { Caller, HandlerResult } from '../call.ts';
import { toCallResult } from '../call-result.ts';
import { publicUri } from '../context/uris.ts';
import { executeCode } from '../execution.ts';

/** The longest name of a tool that all clients accept. */
const MAX_NAME_CHARACTERS = 64;
const HASH_CHARACTERS = 8;
const VALID = /^[\w-]{1,64}$/;
/** Milliseconds that a list waits for servers that have not listed their tools. */
const LIST_WAIT_MS = 2_000;
/** The most direct tools of a client. A model pays for each definition at every turn. */
const MAX_DIRECT = 128;

/** A tool of a server that the client calls directly, with the name for the client. */
export interface DirectTool {
  readonly name: string;
  readonly tool: Tool;
}

/**
 * Returns the tools of servers that clients call directly, with names for clients. A name is the id of the tool where clients accept it,
 * else a similar one with a hash: it depends on the id only.
 */
export async function directTools(toolwright: Toolwright): Promise<readonly DirectTool[]> {
  const tools = await toolwright.directTools({ waitMs: LIST_WAIT_MS });
  return tools.slice(0, MAX_DIRECT).map((tool) => ({ name: clientName(tool.id), tool }));
}

/** Returns the name of a tool for clients. */
export function clientName(id: string): string {
  // Own tools have no "__" in their names.
  if (VALID.test(id) && id.includes('__')) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARACTERS);
  return `${id.replace(/[^\w-]+/g, '_').slice(0, MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}

/** Returns the definition that clients list. Its texts are redacted: a server wrote them. */
export async function definitionOf(
  { name, tool }: DirectTool,
  { pii, user }: { readonly pii: Toolwright['pii']; readonly user: string },
): Promise<McpTool> {
  const { title, description, inputSchema, outputSchema } = tool.definition;
  const annotations = { ...acceptedAnnotations(tool) };
  const redacted = await pii.redact({ title, description, inputSchema, outputSchema, annotations }, { userId: user });
  const output = objectSchema(redacted.outputSchema);
  return {
    name,
    title: redacted.title,
    description: redacted.description,
    inputSchema: { ...(objectSchema(redacted.inputSchema) ?? {}), type: 'object' },
    outputSchema: output,
    annotations: redacted.annotations,
    _meta: viewOf(tool),
  } as McpTool;
}

/** Returns the `_meta` of a tool with a view: its address names its server, so that no other server can answer for it. */
function viewOf({ server, definition: { ui } }: Tool): McpTool['_meta'] {
  if (ui?.resourceUri === undefined) return undefined;
  const resourceUri = publicUri({ server, uri: ui.resourceUri });
  // The second name is that of hosts before the final specification.
  return { ui: { ...ui, resourceUri }, 'ui/resourceUri': resourceUri };
}

/** Returns a schema of objects; undefined for another one. */
function objectSchema(schema: JsonSchema | undefined): Readonly<Record<string, unknown>> | undefined {
  return typeof schema === 'object' && schema.type === 'object' ? schema : undefined;
}

/**
 * Runs a direct call: a program with this one call. So policy, approvals, redaction, journal and limits are those of any call of a program.
 * Progress of the tool reaches the client, and a cancellation the tool.
 */
export async function callDirectly(
  { tool }: DirectTool,
  args: unknown,
  { caller, context }: { readonly caller: Caller; readonly context: ServerContext },
): Promise<CallToolResult | InputRequiredResult | HandlerResult> {
  // A literal with the member __proto__ would be another object.
  const text = JSON.stringify(JSON.stringify(args ?? {}));
  const code = `return await callMCPTool(${JSON.stringify(tool.id)}, JSON.parse(${text}))`;
  const ran = await executeCode({ code, language: 'typescript', check: false }, caller, context, { isDirect: true });
  return 'resultType' in ran ? ran : resultOf(ran, objectSchema(tool.definition.outputSchema) !== undefined);
}

/** Returns the result as the tool itself returns it. */
function resultOf(response: ToolResponse, isStructured: boolean): CallToolResult {
  const { structured, isError, text } = response;
  const { code, message, hint } = Object((structured as { readonly error?: unknown }).error);
  if (isError && typeof message === 'string') {
    return { content: [{ type: 'text', text: [`${code}: ${message}`, hint].filter(Boolean).join('\n') }], isError };
  }
  const result = toCallResult(response, false);
  if (isError || !isStructured) return result;
  const { value } = structured as { readonly value?: unknown };
  if (typeof value === 'object' && value !== null) return { ...result, structuredContent: { ...value } };
  const problem = `The result does not fit into an answer. Call the tool in a program, which reads a part of it:\n${text}`;
  return { content: [{ type: 'text', text: problem }], isError: true };
}
