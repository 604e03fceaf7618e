import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  fromJsonSchema,
  type McpRequestContext,
  McpServer,
  type McpServerOptions,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { ToolwrightError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Toolwright } from '../toolwright.ts';
import { type Answer, errorAnswer, toCallResult } from './answer.ts';
import type { Handler } from './mcp/call.ts';
import { DEFINITIONS, PROFILES, type ProfileName, type ToolName } from './mcp/definitions.ts';
import { HANDLERS } from './mcp/handlers.ts';
import type { TextCache } from './mcp/index-cache.ts';
import { indexText } from './mcp/index-text.ts';
import { registerServerFiles } from './mcp/resources.ts';
import { serveSkills } from './mcp/skill-source.ts';
import { createUsage } from './mcp/usage.ts';

/** How MCP servers are made of a Toolwright. */
export interface McpOptions {
  /** Opens the Toolwright; called when it is needed first, and again each time. */
  readonly open: () => Promise<Toolwright>;
  /** `full` (default), or `core`: execute_code, search_tools and get_tool_definition alone. */
  readonly profile?: ProfileName;
  /** Keeps the index of tools from one start to the next, so that no client waits for it. */
  readonly cache?: TextCache;
  /** Options of the SDK's server, beside those that are ours. */
  readonly sdk?: Omit<McpServerOptions, 'capabilities' | 'instructions'>;
  /** Takes defects of ours, of which a client sees the id only. */
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

/** Whose sessions and skills are used where nobody is authenticated. */
export const LOCAL_USER = 'local';

/** The version of this package. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/**
 * Makes what makes a server for each client: the factory that the SDK's transports take. What is authenticated as
 * `extra.user` is whose sessions and skills a client sees.
 */
export function mcpServers(options: McpOptions): (context: McpRequestContext) => Promise<McpServer> {
  const { open, profile = 'full', cache, logger, sdk = {} } = options;
  const usage = createUsage();
  const schemas = compileSchemas();
  const instructions = indexText(open, cache);
  return async ({ authInfo }) => {
    const claimed = authInfo?.extra?.user;
    const user = typeof claimed === 'string' ? claimed : LOCAL_USER;
    const server = new McpServer(
      { name: 'toolwright', title: 'Toolwright', version: VERSION },
      {
        ...sdk,
        // Our own tools are the same for good; those behind us are found by a search.
        capabilities: { tools: { listChanged: false }, logging: {} },
        instructions: await instructions(),
      },
    );
    for (const name of PROFILES[profile]) {
      const handler: Handler = HANDLERS[name];
      server.registerTool(name, { ...DEFINITIONS[name], ...schemas[name] }, async (args, context) => {
        const call = async () => handler(args as never, { toolwright: await open(), usage, user }, context);
        return toCallResult(await answer(name, call, logger));
      });
    }
    registerServerFiles(server, open);
    if (profile === 'full') serveSkills(server, { open, user, warn: (problem) => logger.warn({ problem }, 'a skill') });
    return server;
  };
}

async function answer(name: ToolName, call: () => Promise<Answer>, logger: McpOptions['logger']): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ToolwrightError) return errorAnswer(error);
    const id = randomUUID();
    logger.error({ id, tool: name, err: error }, 'internal error');
    return errorAnswer(
      new ToolwrightError('INTERNAL', `Internal error [${id}]. The log of the server has the details.`),
    );
  }
}

type Schemas = Readonly<Record<'inputSchema' | 'outputSchema', StandardSchemaWithJSON>>;

/** What checks arguments and answers; made once, since servers come and go with requests. */
function compileSchemas(): Record<ToolName, Schemas> {
  const compiled = Object.entries(DEFINITIONS).map(([name, { inputSchema, outputSchema }]) => [
    name,
    // The SDK takes its own type of JSON Schema, which has no readonly lists.
    {
      inputSchema: fromJsonSchema(structuredClone(inputSchema) as never),
      outputSchema: fromJsonSchema(structuredClone(outputSchema) as never),
    },
  ]);
  return Object.fromEntries(compiled) as Record<ToolName, Schemas>;
}
