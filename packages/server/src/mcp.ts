import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpRequestContext,
  McpServer,
  type McpServerOptions,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { errorResponse, type ToolResponse } from './agent/tool-response.ts';
import type { Handler } from './mcp/call.ts';
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

/** How MCP servers are made of a Toolwright. */
export interface McpOptions {
  /** Opens the Toolwright; called when it is needed first, and again each time. */
  readonly open: () => Promise<Toolwright>;
  /** `full` (default), or `core`: execute_code, search_tools and get_tool_definition alone. */
  readonly profile?: ProfileName;
  /** Whether personal data is replaced, and whether a model may have it shown to the user. Default: the first alone. */
  readonly personalData?: { readonly isReplaced: boolean; readonly canBeShown: boolean };
  /** Keeps the index of tools from one start to the next, so that no client waits for it. */
  readonly cache?: TextCache;
  /** Takes a place for a program that is to run, and gives what frees it; raises `QUOTA_EXCEEDED`. */
  readonly enter?: (principal: Principal) => () => void;
  /** Options of the SDK's server, beside those that are ours. */
  readonly sdk?: Omit<McpServerOptions, 'capabilities' | 'instructions'>;
  /** Takes defects of ours, of which a client sees the id only. */
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

const DEFAULT_PERSONAL_DATA = { isReplaced: true, canBeShown: false };

/** The version of this package. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/**
 * Makes what makes a server for each client: the factory that the SDK's transports take. What is authenticated as
 * `extra.user` is whose sessions and skills a client sees.
 */
export function mcpServers(options: McpOptions): (context: McpRequestContext) => Promise<McpServer> {
  const { open, profile = 'full', personalData = DEFAULT_PERSONAL_DATA, cache, enter, logger, sdk = {} } = options;
  const { isReplaced, canBeShown } = personalData;
  const isAbsent = (name: ToolName) =>
    (name === 'sanitize_pii' && !isReplaced) || (name === 'restore_pii' && !(isReplaced && canBeShown));
  const usage = createUsage();
  const schemas = compileSchemas();
  const instructions = indexText(open, cache);
  return async ({ authInfo }) => {
    const principal = principalOf(authInfo);
    const { user } = principal;
    const server = new McpServer(
      { name: 'toolwright', title: 'Toolwright', version: VERSION },
      {
        ...sdk,
        // Our own tools are the same for good; those behind us are found by a search.
        capabilities: { tools: { listChanged: false }, logging: {} },
        instructions: await instructions(),
      },
    );
    for (const name of PROFILES[profile].filter((tool) => !isAbsent(tool))) {
      const handler: Handler = HANDLERS[name];
      server.registerTool(name, { ...DEFINITIONS[name], ...schemas[name] }, async (args, context) => {
        const call = async () => {
          const toolwright = await open();
          const { sessionId: session } = args as { readonly sessionId?: unknown };
          try {
            const leave = name === 'execute_code' ? enter?.(principal) : undefined;
            const found = await handler(args as never, { toolwright, usage, user }, context).finally(leave);
            return 'resultType' in found ? found : redactResponse(found, name, toolwright.pii, { user, session });
          } catch (error) {
            if (!(error instanceof ToolwrightError)) throw error;
            return redactError(error, toolwright.pii, { user, session });
          }
        };
        return inToolSpan(name, context, () => answer(name, call, logger));
      });
    }
    registerServerFiles(server, open);
    if (profile === 'full') serveSkills(server, { open, user, warn: (problem) => logger.warn({ problem }, 'a skill') });
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

/** What checks arguments and answers; made once, since servers come and go with requests. */
function compileSchemas(): Record<ToolName, Schemas> {
  const compiled = Object.entries(DEFINITIONS).map(([name, { inputSchema, outputSchema }]) => [
    name,
    // The SDK takes its own type of JSON Schema, which has no readonly lists.
    {
      inputSchema: withDeprecatedArguments(fromJsonSchema(structuredClone(inputSchema) as never)),
      outputSchema: fromJsonSchema(structuredClone(outputSchema) as never),
    },
  ]);
  return Object.fromEntries(compiled) as Record<ToolName, Schemas>;
}
