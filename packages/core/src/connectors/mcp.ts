import { setTimeout as sleep } from 'node:timers/promises';
import { InsufficientScopeError } from '@modelcontextprotocol/client';
import type { ToolDefinition } from '../catalog/tool.ts';
import { ToolwrightError } from '../errors.ts';
import { describeSpan } from '../telemetry/tracing.ts';
import type { Connector, ConnectorStatus, OmittedTool, ToolCallOptions } from './connector.ts';
import { Backoff } from './mcp/backoff.ts';
import { callFailure, httpStatus, losesConnection } from './mcp/call-failure.ts';
import { serverLine } from './mcp/call-meta.ts';
import { rawResult, unwrap } from './mcp/call-result.ts';
import { type McpContext, type McpContextOptions, mcpContext } from './mcp/context.ts';
import { headerProblem } from './mcp/header-parameters.ts';
import { watchHealth } from './mcp/health.ts';
import { startClock } from './mcp/input/call-clock.ts';
import { type CallInFlight, createCallsInFlight } from './mcp/input/calls-in-flight.ts';
import { createCompletions } from './mcp/input/handlers.ts';
import { taskIdIn } from './mcp/input/rounds.ts';
import type { Account } from './mcp/oauth/account.ts';
import { isLoginRequired } from './mcp/oauth/failure.ts';
import { type OpenConnection, openConnection } from './mcp/open-connection.ts';
import { orCancelled } from './mcp/or-cancelled.ts';
import { redactSecrets, secretRedactor } from './mcp/secret-redactor.ts';
import { type SdkTool, sdkTool, sendCall } from './mcp/send-call.ts';
import { cancelTask } from './mcp/tasks.ts';
import { isAllowed } from './mcp/tool-filter.ts';
import { listTools } from './mcp/tool-list.ts';
import type { McpConnectorOptions } from './mcp-options.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  DEFAULT_START_TIMEOUT_MS,
  type FillSecrets,
  type McpServerConfig,
  type QuestionSettings,
} from './server-config.ts';

/** Maximum milliseconds that a call waits for the next connection attempt. If the pause is longer, the call fails. */
const MAX_WAIT_MS = 2_000;

/** More options of {@link mcpConnector}, for connections with logins. */
interface OwnOptions extends McpConnectorOptions {
  /** Adds the tokens of one user to requests. Default: no tokens. */
  readonly account?: Account | undefined;
}

/**
 * Creates the connector for an MCP server. The server is started or connected when it is first needed, and stays connected.
 * When it dies, running calls fail, and the next call starts it again, with growing pauses. No call is ever sent twice.
 *
 * The timeout of a call does not include the start of the server, and progress reports do not extend it. Results are not
 * validated against the output schema: programs get the data of a tool that breaks its own schema.
 */
export function mcpConnector(name: string, config: McpServerConfig, options: OwnOptions = {}): Connector {
  return new McpConnector(name, config, options);
}

interface FailedRequest {
  readonly tool: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

class McpConnector implements Connector {
  readonly name: string;
  readonly context: McpContext;
  readonly #config: McpServerConfig;
  readonly #log: (line: string) => void;
  readonly #fill: FillSecrets;
  readonly #account: Account | undefined;
  readonly #redact: (text: string) => string;
  #redactConfigured: (text: string) => string;
  readonly #backoff = new Backoff();
  readonly #closing = new AbortController();
  readonly #inFlight = new WeakMap<OpenConnection, number>();
  readonly #calls = createCallsInFlight();
  readonly #completions = createCompletions();
  readonly #serverLog: ((line: string) => void) | undefined;
  readonly #listeners = new Set<() => void>();
  #connection: OpenConnection | undefined;
  #connecting: Promise<OpenConnection> | undefined;
  #tools: Promise<readonly ToolDefinition[]> | undefined;
  #omitted: readonly OmittedTool[] = [];
  #isLegacy = false;
  #about: string | undefined;
  #instructions: string | undefined;
  #problem: string | undefined;
  #needsLogin: string | undefined;
  #starts = 0;

  constructor(name: string, config: McpServerConfig, { log, fill, onServerLog, account }: OwnOptions) {
    this.#serverLog = onServerLog;
    this.name = name;
    this.#config = config;
    this.#fill = fill ?? (async (_server, own) => own);
    this.#account = account;
    this.#redactConfigured = secretRedactor(config);
    this.#redact = (text) => redactSecrets(this.#redactConfigured(text), account?.secrets() ?? []);
    this.#log = (line) => log?.(this.#redact(line));
    const timeoutMs = config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    this.context = mcpContext({ server: name, timeoutMs, use: this.#use });
  }

  get description(): string | undefined {
    return this.#config.description ?? this.#about;
  }

  get instructions(): string | undefined {
    return this.#instructions;
  }

  status(): ConnectorStatus {
    const problem = this.#needsLogin ?? this.#problem;
    return {
      state: this.#state(),
      starts: this.#starts,
      ...(problem === undefined ? {} : { problem }),
      ...(this.#omitted.length === 0 ? {} : { omittedTools: this.#omitted }),
      ...(this.#connection === undefined ? {} : { protocol: this.#connection.protocol }),
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
    const { signal, onResult } = options;
    const timeoutMs = options.timeoutMs ?? this.#config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    if (!isAllowed(tool, this.#config.tools)) {
      throw new ToolwrightError('UNKNOWN_TOOL', `mcpServers.${this.name}.tools does not allow ${tool}.`);
    }
    const connection = this.#ready(signal) ?? (await orCancelled(this.#connect(), signal, tool, this.name));
    const definition = await this.#definitionFor(connection, tool);
    describeSpan({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': connection.protocol,
      'network.transport': 'command' in this.#config ? 'pipe' : 'tcp',
    });
    const clock = startClock(timeoutMs, signal);
    const call: CallInFlight = { clock, onInput: options.onInput, userId: options.userId, questions: 0 };
    this.#count(connection, 1);
    try {
      await this.#calls.enter(call);
      const result = await sendCall(
        { ...{ server: this.name, tool, args, definition, options, clock } },
        {
          connection,
          current: async () => (await this.#connect()).client,
          whenCompleted: this.#completions.when,
          wantsLog: this.#serverLog !== undefined,
          withScopes: (send) => this.#withScopes(send),
        },
      );
      this.#backoff.succeeded();
      const data = unwrap(result, this.name);
      onResult?.(rawResult(result));
      return data;
    } catch (thrown) {
      throw this.#failed(clock.failure() ?? thrown, connection, { tool, timeoutMs, signal });
    } finally {
      clock.close();
      this.#calls.leave(call);
      this.#count(connection, -1);
    }
  }

  async cancelPaused(_tool: string, state: unknown): Promise<void> {
    const taskId = taskIdIn(state);
    if (taskId !== undefined) await cancelTask(taskId, { client: async () => (await this.#connect()).client });
  }

  /** Runs a request about resources or prompts on the connection. */
  readonly #use: McpContextOptions['use'] = async (label, { signal }, work) => {
    const connection = this.#ready(signal) ?? (await orCancelled(this.#connect(), signal, label, this.name));
    const timeoutMs = this.#config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    this.#count(connection, 1);
    try {
      const answer = await this.#withScopes(() => work(connection.client));
      this.#backoff.succeeded();
      return answer;
    } catch (error) {
      throw this.#failed(error, connection, { tool: label, timeoutMs, signal });
    } finally {
      this.#count(connection, -1);
    }
  };

  /** Returns the error of a request, and stops using the connection when it is lost. */
  #failed(error: unknown, connection: OpenConnection, request: FailedRequest): unknown {
    if (this.#closing.signal.aborted) return this.#closedError();
    const rejected = this.#rejected(error);
    if (rejected) return rejected;
    const failure = callFailure(error, {
      ...request,
      server: this.name,
      redact: this.#redact,
      evidence: connection.evidence(),
      unreadable: connection.unreadable(),
    });
    if (losesConnection(error)) this.#lose(connection, failure.message);
    return failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close();
  }

  /** Sends a request again with more scopes when the server refuses it for missing ones: it has executed nothing then. */
  async #withScopes<Result>(send: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (this.#account === undefined || !(error instanceof InsufficientScopeError)) throw error;
        await this.#account.stepUp(error.requiredScope);
      }
    }
  }

  /** Returns `AUTHORIZATION_REQUIRED` for an answer 401 to a new token. */
  #rejected(error: unknown): Error | undefined {
    return httpStatus(error) === 401 ? this.#account?.rejected() : undefined;
  }

  #state(): ConnectorStatus['state'] {
    if (this.#closing.signal.aborted) return 'closed';
    if (this.#connection !== undefined) return 'ready';
    if (this.#connecting !== undefined) return 'connecting';
    if (this.#needsLogin !== undefined) return 'authorization required';
    return this.#problem === undefined ? 'idle' : 'failed';
  }

  /** Returns the open connection when a call can use it without waiting. */
  #ready(signal: AbortSignal | undefined): OpenConnection | undefined {
    return this.#closing.signal.aborted || signal?.aborted ? undefined : this.#connection;
  }

  async #connect(): Promise<OpenConnection> {
    if (this.#closing.signal.aborted) throw this.#closedError();
    if (this.#connection !== undefined) return this.#connection;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<OpenConnection> {
    const wait = this.#backoff.waitMs();
    if (wait > MAX_WAIT_MS) {
      const text = `${this.name} failed ${this.#backoff.failures} times in a row. The next attempt is in ${wait} ms. ${this.#problem}`;
      throw new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server: this.name, retryMs: wait } });
    }
    await sleep(wait);
    try {
      const filled = await this.#fill(this.name, this.#config);
      this.#redactConfigured = secretRedactor(filled);
      const open = () =>
        openConnection(this.name, filled, {
          // The server used an old revision before: it needs no second probe.
          mode: this.#isLegacy ? 'legacy' : (this.#config.protocol ?? 'auto'),
          signal: this.#closing.signal,
          redact: this.#redact,
          account: this.#account,
          log: this.#log,
          onToolsChanged: () => this.#toolsChanged(),
          onServerLog: ({ level, data }) => this.#serverLog?.(this.#redact(serverLine(level, data))),
          requests: {
            server: this.name,
            questions: this.#questions(),
            calls: this.#calls,
            completions: this.#completions,
            log: this.#log,
          },
          onStart: () => {
            this.#starts++;
          },
        });
      const connection = await this.#withScopes(open);
      this.#adopt(connection);
      return connection;
    } catch (error) {
      this.#isLegacy = false;
      // A login is not an outage: the next attempt is due at once.
      if (isLoginRequired(error)) {
        this.#needsLogin = error.message;
        throw error;
      }
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#backoff.failed();
      throw error;
    }
  }

  #adopt(connection: OpenConnection): void {
    const isRestart = this.#problem !== undefined;
    this.#needsLogin = undefined;
    this.#connection = connection;
    this.#count(connection, 0);
    this.#problem = undefined;
    this.#about = connection.about;
    this.#instructions = connection.instructions;
    this.#isLegacy = connection.client.getProtocolEra() === 'legacy';
    this.context.attach(connection.client);
    const stop = this.#isLegacy
      ? watchHealth(
          connection.client,
          () => this.#inFlight.get(connection) === 0,
          () => void connection.close(),
        )
      : undefined;
    void connection.closed.then(() => {
      stop?.();
      if (!this.#closing.signal.aborted)
        this.#lose(connection, `${this.name} closed the connection.${connection.evidence()}`);
    });
    if (isRestart) this.#toolsChanged();
  }

  /** Returns the questions that the server may ask. A folder of this machine means nothing to one that runs elsewhere. */
  #questions(): QuestionSettings {
    return { ...this.#config.questions, ...('command' in this.#config ? {} : { roots: false }) };
  }

  #closedError(): ToolwrightError {
    return new ToolwrightError('CLOSED', `${this.name} is closed. Create a new connector.`);
  }

  #count(connection: OpenConnection, change: number): void {
    this.#inFlight.set(connection, (this.#inFlight.get(connection) ?? 0) + change);
  }

  /** Stops using a connection. Running calls on it may still finish. */
  #lose(connection: OpenConnection, problem: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#problem = problem;
    this.#backoff.failed();
    const closeWhenIdle = (): void => {
      if (this.#inFlight.get(connection) === 0) void connection.close().catch(() => undefined);
      else setTimeout(closeWhenIdle, 1_000).unref();
    };
    setImmediate(closeWhenIdle);
  }

  async #list(): Promise<readonly ToolDefinition[]> {
    const connection = await this.#connect();
    const timeoutMs = this.#config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
    try {
      const { tools, omitted } = await this.#withScopes(() => listTools(this.name, connection.client, timeoutMs));
      const allowed = tools.filter(({ name }) => isAllowed(name, this.#config.tools));
      const unsendable = allowed.flatMap((tool): OmittedTool[] => {
        const problem = this.#headerProblem(tool, connection);
        return problem === undefined ? [] : [{ name: tool.name, problem }];
      });
      this.#omitted = [...omitted.filter(({ name }) => isAllowed(name, this.#config.tools)), ...unsendable];
      for (const { name, problem } of this.#omitted) this.#log(`left out the tool "${name}": ${problem}`);
      return allowed.filter(({ name }) => !unsendable.some((tool) => tool.name === name));
    } catch (error) {
      throw this.#failed(error, connection, { tool: 'tools/list', timeoutMs, signal: undefined });
    }
  }

  /** Returns why the arguments of a tool cannot be copied to headers as its schema requires (2026-07-28, HTTP). */
  #headerProblem({ inputSchema }: ToolDefinition, { client }: OpenConnection): string | undefined {
    if ('command' in this.#config || client.getProtocolEra() !== 'modern') return undefined;
    return headerProblem(inputSchema);
  }

  /** Returns the definition that the SDK needs to copy arguments to headers (2026-07-28, HTTP). */
  async #definitionFor(connection: OpenConnection, tool: string): Promise<SdkTool | undefined> {
    if (connection.client.getProtocolEra() !== 'modern') return undefined;
    const found = (await this.tools()).find(({ name }) => name === tool);
    return found && sdkTool(found);
  }

  #toolsChanged(): void {
    this.#tools = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}
