import type { Connector, ConnectorStatus, OmittedTool, ToolCallOptions } from './connector.ts';
import { ToolwrightError } from './errors.ts';
import { type SdkTool, sdkTool, sendCall } from './mcp/calls/send-call.ts';
import { cancelTask } from './mcp/calls/tasks.ts';
import { type McpContext, type McpContextOptions, mcpContext } from './mcp/context.ts';
import { CallClock, type CallInFlight, createCallsInFlight } from './mcp/input/calls-in-flight.ts';
import { createCompletions } from './mcp/input/handlers.ts';
import { taskIdIn } from './mcp/input/rounds.ts';
import type { McpConnectorOptions } from './mcp/mcp-options.ts';
import { type CallResult, rawResult, sendsElements, unwrap } from './mcp/messages/call-results.ts';
import type { Account } from './mcp/oauth/account.ts';
import type { OpenConnection } from './mcp/open-connection.ts';
import { ServerConnection } from './mcp/server-connection.ts';
import { headerProblem } from './mcp/tools/header-parameters.ts';
import { listTools } from './mcp/tools/tool-list.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  DEFAULT_MAX_CALL_TIMEOUT_MS,
  DEFAULT_START_TIMEOUT_MS,
  type McpServerConfig,
} from './servers/server-config.ts';
import type { ToolDefinition } from './tools/tool.ts';
import { isAllowed } from './tools/tool-filter.ts';
import { describeSpan, isTraced } from './tracing.ts';

/** More options of {@link mcpConnector}, for connections with logins. */
interface OwnOptions extends McpConnectorOptions {
  /** Adds the tokens of one user to requests. Default: no tokens. */
  readonly account?: Account | undefined;
}

/**
 * Creates the connector for an MCP server. The server is started or connected when it is first needed, and stays connected.
 * When it dies, running calls fail, and the next call starts it again, with growing pauses. A call is sent again only when its server
 * refused it before processing: it did not know the session, or asked for a pause.
 *
 * The timeout of a call does not include the start of the server. Progress reports start it again, up to a total. Results are not
 * validated against the output schema: programs get the data of a tool that breaks its own schema.
 */
export function mcpConnector(name: string, config: McpServerConfig, options: OwnOptions = {}): Connector {
  return new McpConnector(name, config, options);
}

class McpConnector implements Connector {
  readonly name: string;
  readonly context: McpContext;
  readonly #config: McpServerConfig;
  readonly #timeoutMs: number;
  readonly #connection: ServerConnection;
  readonly #calls = createCallsInFlight();
  readonly #completions = createCompletions();
  readonly #hasAccount: boolean;
  readonly #wantsLog: boolean;
  readonly #listeners = new Set<() => void>();
  #tools: Promise<readonly ToolDefinition[]> | undefined;
  /** Tools that send each element of a list as a block. */
  readonly #listing = new Set<string>();
  #omitted: readonly OmittedTool[] = [];

  constructor(
    name: string,
    config: McpServerConfig,
    { log, fill = async (_server, own) => own, onServerLog, account }: OwnOptions,
  ) {
    this.name = name;
    this.#config = config;
    this.#timeoutMs = config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    this.#hasAccount = account !== undefined;
    this.#wantsLog = onServerLog !== undefined;
    this.#connection = new ServerConnection({
      name,
      config,
      fill,
      account,
      log,
      onServerLog,
      calls: this.#calls,
      completions: this.#completions,
      onConnected: ({ client }) => this.context.attach(client),
      onToolsChanged: () => {
        this.#tools = undefined;
        for (const listener of [...this.#listeners]) listener();
      },
    });
    this.context = mcpContext({ server: name, timeoutMs: this.#timeoutMs, use: this.#use });
  }

  get description(): string | undefined {
    return this.#config.description ?? this.#connection.about;
  }

  get instructions(): string | undefined {
    return this.#connection.instructions;
  }

  status(): ConnectorStatus {
    return {
      ...this.#connection.status(),
      omittedTools: this.#omitted.length === 0 ? undefined : this.#omitted,
    };
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tools(): Promise<readonly ToolDefinition[]> {
    const current = this.#tools;
    if (current !== undefined) return current;
    const listing: Promise<readonly ToolDefinition[]> = this.#list().catch((error) => {
      if (this.#tools === listing) this.#tools = undefined;
      throw error;
    });
    this.#tools = listing;
    return listing;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions = {}): Promise<unknown> {
    const { signal, onInput, onResult, userId, timeoutMs = this.#timeoutMs } = options;
    const { tools } = this.#config;
    if (tools && !isAllowed(tool, tools)) {
      throw new ToolwrightError('UNKNOWN_TOOL', `mcpServers.${this.name}.tools does not allow ${tool}.`);
    }
    const connection = this.#connection.ready(signal) ?? (await this.#connection.for({ tool, signal }));
    const { client } = connection;
    const isSdkCall = !client.sendsCalls && client.getProtocolEra() === 'modern';
    const definition = isSdkCall ? await this.#definitionFor(tool) : undefined;
    if (isTraced()) this.#describeCall(connection);
    const maxTimeoutMs = Math.max(timeoutMs, this.#config.maxTimeoutMs ?? DEFAULT_MAX_CALL_TIMEOUT_MS);
    const clock = new CallClock(timeoutMs, signal, maxTimeoutMs);
    const call: CallInFlight = { clock, onInput, userId, questions: 0 };
    this.#connection.count(connection, 1);
    try {
      const turn = this.#calls.enter(call);
      if (turn) await turn;
      const result = await this.#connection.deliver(
        connection,
        () => ({ tool, signal: clock.signal, isRepeatable: () => this.#isRepeatable(tool) }),
        (own) =>
          sendCall(
            { server: this.name, tool, args, definition, options, clock },
            {
              connection: own,
              current: this.#client,
              whenCompleted: this.#completions.when,
              wantsLog: this.#wantsLog,
              withScopes: this.#hasAccount ? this.#connection.withScopes : undefined,
            },
          ),
      );
      this.#connection.succeeded();
      const unwrapped = unwrap(result, this.name);
      const data = this.#asList(tool, result, unwrapped instanceof Promise ? await unwrapped : unwrapped);
      onResult?.(rawResult(result));
      return data;
    } catch (thrown) {
      throw this.#connection.failure(clock.failure ?? thrown, connection, { tool, timeoutMs, maxTimeoutMs, signal });
    } finally {
      clock.close();
      this.#calls.leave(call);
      this.#connection.count(connection, -1);
    }
  }

  #describeCall({ protocol }: OpenConnection): void {
    describeSpan({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': protocol,
      'network.transport': 'command' in this.#config ? 'pipe' : 'tcp',
    });
  }

  /** Returns the data of a tool: of one that has sent several elements of a list, one element and none are a list too. */
  #asList(tool: string, result: CallResult, data: unknown): unknown {
    const { content = [], structuredContent } = result;
    if (structuredContent !== undefined) return data;
    if (sendsElements(result)) {
      if (!this.#listing.has(tool))
        this.#connection.log(
          `sends each element of a list of ${tool} as a block: one element, and none, are a list too`,
        );
      this.#listing.add(tool);
      return data;
    }
    if (!this.#listing.has(tool) || content.length > 1) return data;
    return content.length === 0 ? [] : [data];
  }

  async probe(): Promise<void> {
    await this.#connection.open();
  }

  async cancelPaused(_tool: string, state: unknown): Promise<void> {
    const taskId = taskIdIn(state);
    if (taskId !== undefined) await cancelTask(taskId, { client: this.#client });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }

  readonly #client = async () => (await this.#connection.open()).client;

  /** Runs a request about resources or prompts on the connection. */
  readonly #use: McpContextOptions['use'] = async (label, { signal }, work) => {
    const connection = await this.#connection.for({ tool: label, signal });
    this.#connection.count(connection, 1);
    try {
      const answer = await this.#connection.deliver(
        connection,
        () => ({ tool: label, signal, isRepeatable: () => true }),
        (own) => this.#connection.withScopes(() => work(own.client)),
      );
      this.#connection.succeeded();
      return answer;
    } catch (error) {
      throw this.#connection.failure(error, connection, { tool: label, timeoutMs: this.#timeoutMs, signal });
    } finally {
      this.#connection.count(connection, -1);
    }
  };

  async #list(): Promise<readonly ToolDefinition[]> {
    const connection = await this.#connection.open();
    const timeoutMs = this.#config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
    try {
      const request = { tool: 'tools/list', signal: undefined, isRepeatable: () => true };
      const found = await this.#connection.deliver(
        connection,
        () => request,
        (own) => this.#connection.withScopes(() => listTools(this.name, own.client, timeoutMs)),
      );
      const { allowed, left } = usableTools(found, this.#config, connection);
      this.#omitted = left;
      if (found.cut !== undefined) this.#connection.log(`cut its list of tools: ${found.cut}`);
      for (const { name, problem } of left) this.#connection.log(`left out the tool "${name}": ${problem}`);
      return allowed;
    } catch (error) {
      throw this.#connection.failure(error, connection, { tool: 'tools/list', timeoutMs, signal: undefined });
    }
  }

  /** Returns whether a known tool may take effect twice, by its annotations. */
  async #isRepeatable(tool: string): Promise<boolean> {
    const known = await this.#tools?.catch(() => undefined);
    const { readOnlyHint, idempotentHint } = known?.find(({ name }) => name === tool)?.annotations ?? {};
    return readOnlyHint === true || idempotentHint === true;
  }

  /** Returns the definition that the SDK needs to copy arguments to headers (2026-07-28, HTTP). */
  async #definitionFor(tool: string): Promise<SdkTool | undefined> {
    const found = (await this.tools()).find(({ name }) => name === tool);
    return found && sdkTool(found);
  }
}

/** Returns the tools that the configuration allows and that can be called, and those that are left out. */
function usableTools(
  { tools, omitted }: Awaited<ReturnType<typeof listTools>>,
  config: McpServerConfig,
  { client }: OpenConnection,
): { readonly allowed: readonly ToolDefinition[]; readonly left: readonly OmittedTool[] } {
  const may = ({ name }: { readonly name: string }) => isAllowed(name, config.tools);
  // Over HTTP in 2026-07-28, the schema may require that arguments are copied to headers.
  const copies = !('command' in config) && client.getProtocolEra() === 'modern';
  const unsendable = tools.filter(may).flatMap(({ name, inputSchema }): OmittedTool[] => {
    const problem = copies ? headerProblem(inputSchema) : undefined;
    return problem === undefined ? [] : [{ name, problem }];
  });
  return {
    allowed: tools.filter((tool) => may(tool) && !unsendable.some(({ name }) => name === tool.name)),
    left: [...omitted.filter(may), ...unsendable],
  };
}
