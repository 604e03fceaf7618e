import { randomBytes, randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequiredResult,
  type McpRequestContext,
  McpServer,
  type McpServerOptions,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { type DueTimes, dueTimesOf } from '@toolwright/core/internal';
import { errorResponse } from './agent/tool-response.ts';
import { type DirectCall, directCallError } from './code-tools/direct-call.ts';
import { readArguments } from './code-tools/read-arguments.ts';
import type { ApprovalState } from './mcp/approval-state.ts';
import type { Caller, Handler, HandlerResult } from './mcp/call.ts';
import { asksForData, toCallResult } from './mcp/call-result.ts';
import { createFollowing, type McpServers } from './mcp/context/follow.ts';
import { registerServerPrompts } from './mcp/context/prompts.ts';
import { registerServerResources, serveResourceList } from './mcp/context/resources.ts';
import { serveSubscriptions } from './mcp/context/subscriptions.ts';
import { defaultSessions } from './mcp/default-session.ts';
import { DEFINITIONS, PROFILES, type ProfileName, type ToolName } from './mcp/definitions.ts';
import { HANDLERS } from './mcp/handlers.ts';
import type { TextCache } from './mcp/instructions/cache.ts';
import { openRecentTools, type RecentTools } from './mcp/instructions/recent-tools.ts';
import { instructionsOf } from './mcp/instructions/text.ts';
import { redactError, redactResponse } from './mcp/redaction.ts';
import { registerServerFiles, serverFileList } from './mcp/resources.ts';
import { registerSessionFiles } from './mcp/session-files.ts';
import { serveSkills } from './mcp/skill-source.ts';
import { inToolSpan } from './mcp/span.ts';
import { createTaskMemory, executionTasks } from './mcp/tasks/execution-tasks.ts';
import { serveTasks } from './mcp/tasks/serve-tasks.ts';
import { TASKS_EXTENSION, type TaskSource } from './mcp/tasks/task-source.ts';
import { createUsage, type Usage } from './mcp/usage.ts';
import { LOCAL_PRINCIPAL, type Principal } from './principal.ts';
import { VERSION } from './version.ts';

/** Options of the MCP servers of a Toolwright. */
export interface McpOptions {
  /** Returns the Toolwright. Called for each use. */
  readonly open: () => Promise<Toolwright>;
  /** `full` (default), or `core`: only execute_code, search_tools and get_tool_definition. */
  readonly profile?: ProfileName;
  /** Whether personal data is replaced, and whether `restore_pii` is listed. Default: replaced and not listed. */
  readonly personalData?: { readonly isReplaced: boolean; readonly canBeShown: boolean };
  /** Keeps the servers of the instructions between starts, so that no client waits for them. */
  readonly cache?: TextCache;
  /** Ids of tools whose calls come first in the instructions. Default: none. */
  readonly pinned?: readonly string[];
  /** Keeps the tools that programs called lately, for the instructions. Default: in memory. */
  readonly recent?: RecentTools;
  /** Counts the costs of executions. Default: in this process. */
  readonly usage?: Usage;
  /** When waits end. Default: by the clocks of this machine. */
  readonly dueTimes?: DueTimes;
  /** Counts a program that starts and returns a function to call at its end. Raises `QUOTA_EXCEEDED`. */
  readonly enter?: (principal: Principal) => () => void;
  /** Whether the user of a client may decide about approvals in a dialog of the client. Default: true. */
  readonly mayDecide?: boolean;
  /**
   * Returns the key, of at least 32 bytes, that signs the states of questions. Servers that answer the same clients need the same key.
   * Default: a random one.
   */
  readonly stateKey?: () => Uint8Array;
  /**
   * Distinguishes the default sessions of users: servers with the same scope and key share them. Default: a random scope, so that each
   * process has its own.
   */
  readonly sessionScope?: string;
  /** Milliseconds after which a program of a client with the tasks extension goes on as a task. Default: 10,000. */
  readonly taskAfterMs?: number;
  /** Adds the tasks of other tools of the server. */
  readonly tasksOf?: (own: TaskSource) => TaskSource;
  /** Further options of the SDK's server. */
  readonly sdk?: Omit<McpServerOptions, 'capabilities' | 'instructions' | 'requestState'>;
  /** Receives internal errors. Clients receive only their ids. */
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

/** Seconds in which a client may answer a question. Later, the question is open for other deciders. */
const STATE_TTL_SECONDS = 60 * 60;
const STATE_KEY_BYTES = 32;
const DEFAULT_TASK_AFTER_MS = 10_000;
/** The tools of this server never change. Clients find upstream tools by a search. */
const CAPABILITIES = {
  tools: { listChanged: false },
  logging: {},
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
};
const DEFAULT_PERSONAL_DATA = { isReplaced: true, canBeShown: false };

/**
 * Returns the factory that the SDK's transports call for each client. The authenticated `extra.user` owns the sessions and
 * skills of the client.
 */
export function mcpServers(options: McpOptions): McpServers {
  const { open, profile = 'full', personalData = DEFAULT_PERSONAL_DATA, enter, logger, sdk = {} } = options;
  const { isReplaced, canBeShown } = personalData;
  const { mayDecide = true, stateKey = () => ownKey, cache, pinned = [], recent = openRecentTools() } = options;
  const ownKey = randomBytes(STATE_KEY_BYTES);
  const {
    taskAfterMs = DEFAULT_TASK_AFTER_MS,
    tasksOf = (source) => source,
    dueTimes = dueTimesOf(undefined),
  } = options;
  const taskMemory = createTaskMemory(dueTimes);
  const sessions = defaultSessions(stateKey, options.sessionScope ?? randomUUID());
  const isAbsent = (name: ToolName) =>
    (name === 'sanitize_pii' && !isReplaced) || (name === 'restore_pii' && !(isReplaced && canBeShown));
  const { usage = createUsage() } = options;
  const schemas = compileSchemas();
  const listed = PROFILES[profile].filter((tool) => !isAbsent(tool));
  const instructions = instructionsOf({ open, profile, listed, pinned, recent, cache });
  const create = async ({ authInfo, era }: McpRequestContext): Promise<McpServer> => {
    const principal = principalOf(authInfo);
    const { user } = principal;
    const codec = () =>
      createRequestStateCodec<ApprovalState>({ key: stateKey(), ttlSeconds: STATE_TTL_SECONDS, bind: () => user });
    const server = new McpServer(
      { name: 'toolwright', title: 'Toolwright', version: VERSION },
      {
        ...sdk,
        requestState: { verify: (state, context) => codec().verify(state, context) },
        capabilities: { ...CAPABILITIES, ...(era === 'legacy' ? {} : { extensions: { [TASKS_EXTENSION]: {} } }) },
        instructions: await instructions(user),
      },
    );
    const own: Omit<Caller, 'toolwright'> = {
      ...{ usage, recent, user, mayDecide, taskAfterMs },
      enter: () => enter?.(principal) ?? (() => undefined),
      capabilitiesOf: ({ mcpReq }) =>
        (mcpReq.envelope as Record<string, unknown>)?.[CLIENT_CAPABILITIES_META_KEY] ??
        server.server.getClientCapabilities(),
      sealState: (state, context) => codec().mint(state, context),
    };
    const run = (name: ToolName, args: unknown, context: ServerContext) => {
      const handler: Handler = HANDLERS[name];
      const call = async () => {
        const toolwright = await open();
        let session: unknown;
        try {
          const filled = await sessions.fill(name, readArguments(name, DEFINITIONS[name], args), { toolwright, user });
          session = filled.sessionId;
          const found = await handler(filled as never, { ...own, toolwright }, context);
          return 'resultType' in found ? found : redactResponse(found, name, toolwright.pii, { user, session });
        } catch (error) {
          if (!(error instanceof ToolwrightError)) throw error;
          return redactError(error, toolwright.pii, { user, session });
        }
      };
      return inToolSpan(name, context, () => answer(name, call, { logger, withData: asksForData(context) }));
    };
    for (const name of listed) {
      const { title, description, annotations, _meta } = DEFINITIONS[name];
      const definition = { title, description, annotations, inputSchema: schemas[name], ...(_meta && { _meta }) };
      server.registerTool(name, definition, (args, context) => run(name, args, context));
    }
    serveToolCalls(server, { listed, run, open, user });
    registerServerFiles(server, open, user);
    registerSessionFiles(server, open, user);
    registerServerResources(server, { open, user });
    serveResourceList(server, { open, user }, () => serverFileList(open));
    registerServerPrompts(server, { open, user });
    if (era === 'legacy') serveSubscriptions(server, { open, user });
    else serveTasks(server, tasksOf(executionTasks(async () => ({ ...own, toolwright: await open() }), taskMemory)));
    if (profile === 'full')
      serveSkills(server, { open, user, warn: (problem) => logger.warn({ problem }, 'invalid skill') });
    return server;
  };
  return Object.assign(
    create,
    createFollowing(open, (authInfo) => principalOf(authInfo).user),
  );
}

function principalOf(authInfo: McpRequestContext['authInfo']): Principal {
  const user = authInfo?.extra?.user;
  return authInfo && typeof user === 'string' ? { user, credential: authInfo.clientId } : LOCAL_PRINCIPAL;
}

async function answer(
  name: ToolName,
  call: () => Promise<HandlerResult>,
  { logger, withData }: { readonly logger: McpOptions['logger']; readonly withData: boolean },
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const found = await call();
    // The SDK has no type for tasks, and passes them on.
    return 'resultType' in found ? (found as InputRequiredResult) : toCallResult(found, withData);
  } catch (error) {
    if (error instanceof ToolwrightError) return toCallResult(errorResponse(error), withData);
    const id = randomUUID();
    logger.error({ id, tool: name, err: error }, 'internal error');
    const message = `Internal error [${id}]. The log of the server has the details.`;
    return toCallResult(errorResponse(new ToolwrightError('INTERNAL', message)), withData);
  }
}

interface CallsOptions extends Pick<McpOptions, 'open'> {
  readonly listed: readonly ToolName[];
  readonly run: (
    name: ToolName,
    args: unknown,
    context: ServerContext,
  ) => Promise<CallToolResult | InputRequiredResult>;
  readonly user: string;
}

/** Answers calls. The SDK would validate arguments, and answer an unknown tool, in words that a model cannot act on. */
function serveToolCalls({ server }: McpServer, { listed, run, open, user }: CallsOptions): void {
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const known = listed.find((tool) => tool === name);
    if (known) return run(known, args, context);
    return unknownTool({ name, args, own: listed, language: 'typescript', userId: user }, await open());
  });
}

/** Answers a call of a tool of a server with the program to write. Raises a protocol error for any other tool. */
async function unknownTool(call: DirectCall, toolwright: Toolwright): Promise<CallToolResult> {
  const { isInner, error } = await directCallError(toolwright, call);
  const response = await redactError(error, toolwright.pii, { user: call.userId, session: undefined });
  if (isInner) return toCallResult(response, false);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, response.text);
}

/** Returns the listed schemas of arguments, once, because the SDK may create a server for each request. */
function compileSchemas(): Record<ToolName, StandardSchemaWithJSON> {
  const compiled = Object.entries(DEFINITIONS).map(([name, { inputSchema }]) => [
    name,
    // The SDK's type of JSON Schema has no readonly arrays.
    fromJsonSchema(structuredClone(inputSchema) as never),
  ]);
  return Object.fromEntries(compiled) as Record<ToolName, StandardSchemaWithJSON>;
}
