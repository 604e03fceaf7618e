import { randomBytes, randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type McpRequestContext,
  McpServer,
  type McpServerOptions,
} from '@modelcontextprotocol/server';
import type { Logger, Toolwright } from '@toolwright/core';
import { type DueTimes, dueTimesOf } from '@toolwright/core/internal';
import type { Caller } from './mcp/call.ts';
import { clientOf, type McpClient, recentIn } from './mcp/client.ts';
import { createFollowing, type McpServers } from './mcp/context/follow.ts';
import { registerServerPrompts } from './mcp/context/prompts.ts';
import { registerServerResources, serveResourceList } from './mcp/context/resources.ts';
import { serveSubscriptions } from './mcp/context/subscriptions.ts';
import type { TextCache } from './mcp/instructions/cache.ts';
import { openRecentTools, type RecentTools } from './mcp/instructions/recent-tools.ts';
import { instructionsOf } from './mcp/instructions/text.ts';
import type { ApprovalState } from './mcp/questions/approval-state.ts';
import { registerServerFiles, serverFileList } from './mcp/resources.ts';
import { serveTools } from './mcp/serve-tools.ts';
import { defaultSessions } from './mcp/sessions/default-session.ts';
import { registerExecutionFiles } from './mcp/sessions/execution-files.ts';
import { registerSessionFiles } from './mcp/sessions/session-files.ts';
import { serveSkills } from './mcp/skills/skill-source.ts';
import { createTaskMemory, executionTasks } from './mcp/tasks/execution-tasks.ts';
import { serveTasks } from './mcp/tasks/serve-tasks.ts';
import { TASKS_EXTENSION, type TaskSource } from './mcp/tasks/task-source.ts';
import { PROFILE_TOOLS, type ToolName, type ToolProfile } from './mcp/tools/definitions.ts';
import { createUsage, type Usage } from './mcp/usage/usage.ts';
import type { Principal } from './principal.ts';
import { VERSION } from './version.ts';

/** Options of the MCP servers of a Toolwright. */
export interface McpOptions {
  /** Returns the Toolwright. Called for each use. */
  readonly open: () => Promise<Toolwright>;
  /** The own tools that clients list: `core` (default) or `full`. Calls of the others are answered too. */
  readonly profile?: ToolProfile;
  /** Name of the set of servers and tools for clients whose key and endpoint have none. Default: the setting `defaultProfile`. */
  readonly servers?: string | undefined;
  /** Whether personal data is replaced, and whether `restore_pii` is listed. Default: replaced and not listed. */
  readonly personalData?: { readonly isReplaced: boolean; readonly canBeShown: boolean };
  /** Keeps the servers of the instructions between starts, so that no client waits for them. */
  readonly cache?: TextCache;
  /** Ids of tools whose calls come first in the instructions. Default: none. */
  readonly pinned?: readonly string[];
  /** Whether clients call tools of servers directly: see the settings `direct` and `callers`. Default: false. */
  readonly hasDirect?: boolean;
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
  readonly logger: Logger;
}

/** Seconds in which a client may answer a question. Later, the question is open for other deciders. */
const STATE_TTL_SECONDS = 60 * 60;
const STATE_KEY_BYTES = 32;
const DEFAULT_TASK_AFTER_MS = 10_000;
/** Without direct tools, the tools of this server never change: clients find others by a search. */
const CAPABILITIES = {
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
  const { open: openAll, profile = 'core', personalData = DEFAULT_PERSONAL_DATA, enter, logger, sdk = {} } = options;
  const { isReplaced, canBeShown } = personalData;
  const { mayDecide = true, stateKey = () => ownKey, cache, pinned = [], recent = openRecentTools() } = options;
  const ownKey = randomBytes(STATE_KEY_BYTES);
  const {
    taskAfterMs = DEFAULT_TASK_AFTER_MS,
    tasksOf = (source) => source,
    dueTimes = dueTimesOf(undefined, undefined),
  } = options;
  const taskMemory = createTaskMemory(dueTimes);
  const sessions = defaultSessions(stateKey, options.sessionScope ?? randomUUID());
  const isAbsent = (name: ToolName) =>
    (name === 'sanitize_pii' && !isReplaced) || (name === 'restore_pii' && !(isReplaced && canBeShown));
  const { usage = createUsage(), hasDirect = false } = options;
  const own = PROFILE_TOOLS.full.filter((tool) => !isAbsent(tool));
  const listed = PROFILE_TOOLS[profile].filter((tool) => own.includes(tool));
  const instructions = byProfile(({ open, principal: { profile: servers } }) => {
    const kept = servers === options.servers ? { cache } : {};
    return instructionsOf({ open, profile, listed, pinned, recent: recentIn(recent, servers), ...kept });
  });
  const create = async ({ authInfo, era }: McpRequestContext): Promise<McpServer> => {
    const client = clientOf(authInfo, openAll, options.servers);
    const { principal, open } = client;
    const { user } = principal;
    const codec = () =>
      createRequestStateCodec<ApprovalState>({ key: stateKey(), ttlSeconds: STATE_TTL_SECONDS, bind: () => user });
    const server = new McpServer(
      { name: 'toolwright', title: 'Toolwright', version: VERSION },
      {
        ...sdk,
        requestState: { verify: (state, context) => codec().verify(state, context) },
        capabilities: {
          ...CAPABILITIES,
          tools: { listChanged: hasDirect },
          ...(era === 'legacy' ? {} : { extensions: { [TASKS_EXTENSION]: {} } }),
        },
        instructions: await instructions(client)(user),
      },
    );
    const caller: Omit<Caller, 'toolwright'> = {
      usage,
      recent: recentIn(recent, principal.profile),
      user,
      mayDecide,
      taskAfterMs,
      enter: () => enter?.(principal) ?? (() => undefined),
      capabilitiesOf: ({ mcpReq }) =>
        (mcpReq.envelope as Record<string, unknown>)?.[CLIENT_CAPABILITIES_META_KEY] ??
        server.server.getClientCapabilities(),
      sealState: (state, context) => codec().mint(state, context),
    };
    serveTools(server, { listed, own, sessions, open, user, caller, logger, hasDirect });
    registerServerFiles(server, open, user);
    registerSessionFiles(server, open, user);
    registerExecutionFiles(server, open, user);
    registerServerResources(server, { open, user });
    serveResourceList(server, { open, user }, () => serverFileList(open));
    registerServerPrompts(server, { open, user });
    if (era === 'legacy') serveSubscriptions(server, { open, user });
    else serveTasks(server, tasksOf(executionTasks(async () => ({ ...caller, toolwright: await open() }), taskMemory)));
    serveSkills(server, { open, user, warn: (problem) => logger.warn({ problem }, 'invalid skill') });
    return server;
  };
  return Object.assign(
    create,
    createFollowing(openAll, (authInfo) => clientOf(authInfo, openAll, options.servers)),
  );
}

/** Returns a function that makes one value for each profile of clients. */
function byProfile<T>(make: (client: McpClient) => T): (client: McpClient) => T {
  const made = new Map<string | undefined, T>();
  return (client) => {
    const { profile } = client.principal;
    const known = made.get(profile) ?? make(client);
    made.set(profile, known);
    return known;
  };
}
