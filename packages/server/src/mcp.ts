import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequiredResult,
  type McpRequestContext,
  McpServer,
  type McpServerOptions,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { errorResponse, type ToolResponse } from './agent/tool-response.ts';
import type { ApprovalState } from './mcp/approval-state.ts';
import type { Caller, Handler } from './mcp/call.ts';
import { toCallResult } from './mcp/call-result.ts';
import { DEFINITIONS, PROFILES, type ProfileName, type ToolName } from './mcp/definitions.ts';
import { withDeprecatedArguments } from './mcp/deprecated-arguments.ts';
import { HANDLERS } from './mcp/handlers.ts';
import type { TextCache } from './mcp/index-cache.ts';
import { indexText } from './mcp/index-text.ts';
import { redactError, redactResponse } from './mcp/redaction.ts';
import { registerServerFiles } from './mcp/resources.ts';
import { serveSkills } from './mcp/skill-source.ts';
import { inToolSpan } from './mcp/span.ts';
import { createUsage } from './mcp/usage.ts';
import { LOCAL_PRINCIPAL, type Principal } from './principal.ts';

/** Options of the MCP servers of a Toolwright. */
export interface McpOptions {
  /** Returns the Toolwright. Called for each use. */
  readonly open: () => Promise<Toolwright>;
  /** `full` (default), or `core`: only execute_code, search_tools and get_tool_definition. */
  readonly profile?: ProfileName;
  /** Whether personal data is replaced, and whether `restore_pii` is listed. Default: replaced and not listed. */
  readonly personalData?: { readonly isReplaced: boolean; readonly canBeShown: boolean };
  /** Keeps the index of tools between starts, so that no client waits for it. */
  readonly cache?: TextCache;
  /** Counts a program that starts and returns a function to call at its end. Raises `QUOTA_EXCEEDED`. */
  readonly enter?: (principal: Principal) => () => void;
  /** Whether the user of a client may decide about approvals in a dialog of the client. Default: true. */
  readonly mayDecide?: boolean;
  /**
   * Returns the key, of at least 32 bytes, that signs the states of questions. Servers that answer the same clients need the same key.
   * Default: a random one.
   */
  readonly stateKey?: () => Uint8Array;
  /** Further options of the SDK's server. */
  readonly sdk?: Omit<McpServerOptions, 'capabilities' | 'instructions' | 'requestState'>;
  /** Receives internal errors. Clients receive only their ids. */
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

/** Seconds in which a client may answer a question. Later, the question is open for other deciders. */
const STATE_TTL_SECONDS = 60 * 60;
const STATE_KEY_BYTES = 32;
const DEFAULT_PERSONAL_DATA = { isReplaced: true, canBeShown: false };

/** The version of this package. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/**
 * Returns the factory that the SDK's transports call for each client. The authenticated `extra.user` owns the sessions and
 * skills of the client.
 */
export function mcpServers(options: McpOptions): (context: McpRequestContext) => Promise<McpServer> {
  const { open, profile = 'full', personalData = DEFAULT_PERSONAL_DATA, cache, enter, logger, sdk = {} } = options;
  const { isReplaced, canBeShown } = personalData;
  const { mayDecide = true, stateKey = () => ownKey } = options;
  const ownKey = randomBytes(STATE_KEY_BYTES);
  const isAbsent = (name: ToolName) =>
    (name === 'sanitize_pii' && !isReplaced) || (name === 'restore_pii' && !(isReplaced && canBeShown));
  const usage = createUsage();
  const schemas = compileSchemas();
  const instructions = indexText(open, cache);
  return async ({ authInfo }) => {
    const principal = principalOf(authInfo);
    const { user } = principal;
    const codec = () =>
      createRequestStateCodec<ApprovalState>({ key: stateKey(), ttlSeconds: STATE_TTL_SECONDS, bind: () => user });
    const server = new McpServer(
      { name: 'toolwright', title: 'Toolwright', version: VERSION },
      {
        ...sdk,
        requestState: { verify: (state, context) => codec().verify(state, context) },
        // The tools of this server never change. Clients find upstream tools by a search.
        capabilities: { tools: { listChanged: false }, logging: {} },
        instructions: await instructions(),
      },
    );
    const own: Omit<Caller, 'toolwright'> = {
      ...{ usage, user, mayDecide },
      enter: () => enter?.(principal) ?? (() => undefined),
      capabilitiesOf: ({ mcpReq }) =>
        (mcpReq.envelope as Record<string, unknown>)?.[CLIENT_CAPABILITIES_META_KEY] ??
        server.server.getClientCapabilities(),
      sealState: (state, context) => codec().mint(state, context),
    };
    for (const name of PROFILES[profile].filter((tool) => !isAbsent(tool))) {
      const handler: Handler = HANDLERS[name];
      server.registerTool(name, { ...DEFINITIONS[name], ...schemas[name] }, async (args, context) => {
        const call = async () => {
          const toolwright = await open();
          const { sessionId: session } = args as { readonly sessionId?: unknown };
          try {
            const found = await handler(args as never, { ...own, toolwright }, context);
            return 'resultType' in found ? found : redactResponse(found, name, toolwright.pii, { user, session });
          } catch (error) {
            if (!(error instanceof ToolwrightError)) throw error;
            return redactError(error, toolwright.pii, { user, session });
          }
        };
        return inToolSpan(name, context, () => answer(name, call, logger));
      });
    }
    registerServerFiles(server, open, user);
    if (profile === 'full')
      serveSkills(server, { open, user, warn: (problem) => logger.warn({ problem }, 'invalid skill') });
    return server;
  };
}

function principalOf(authInfo: McpRequestContext['authInfo']): Principal {
  const user = authInfo?.extra?.user;
  return authInfo && typeof user === 'string' ? { user, credential: authInfo.clientId } : LOCAL_PRINCIPAL;
}

async function answer(
  name: ToolName,
  call: () => Promise<ToolResponse | InputRequiredResult>,
  logger: McpOptions['logger'],
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const found = await call();
    return 'resultType' in found ? found : toCallResult(found);
  } catch (error) {
    if (error instanceof ToolwrightError) return toCallResult(errorResponse(error));
    const id = randomUUID();
    logger.error({ id, tool: name, err: error }, 'internal error');
    const message = `Internal error [${id}]. The log of the server has the details.`;
    return toCallResult(errorResponse(new ToolwrightError('INTERNAL', message)));
  }
}

type Schemas = Readonly<Record<'inputSchema' | 'outputSchema', StandardSchemaWithJSON>>;

/** Compiles the schemas of arguments and results once, because the SDK may create a server for each request. */
function compileSchemas(): Record<ToolName, Schemas> {
  const compiled = Object.entries(DEFINITIONS).map(([name, { inputSchema, outputSchema }]) => [
    name,
    // The SDK's type of JSON Schema has no readonly arrays.
    {
      inputSchema: withDeprecatedArguments(fromJsonSchema(structuredClone(inputSchema) as never)),
      outputSchema: fromJsonSchema(structuredClone(outputSchema) as never),
    },
  ]);
  return Object.fromEntries(compiled) as Record<ToolName, Schemas>;
}
