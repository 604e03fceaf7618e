import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolDefinition } from '../catalog/tool.ts';
import { ToolwrightError } from '../errors.ts';
import { describeSpan, traceFields } from '../telemetry/tracing.ts';
import type { Connector, ConnectorStatus, OmittedTool, ToolCallOptions } from './connector.ts';
import { Backoff } from './mcp/backoff.ts';
import { callFailure, losesConnection } from './mcp/call-failure.ts';
import { rawResult, unwrap } from './mcp/call-result.ts';
import { type McpContext, type McpContextOptions, mcpContext } from './mcp/context.ts';
import { headerProblem } from './mcp/header-parameters.ts';
import { watchHealth } from './mcp/health.ts';
import { type OpenConnection, openConnection } from './mcp/open-connection.ts';
import { secretRedactor } from './mcp/secret-redactor.ts';
import { finishTask } from './mcp/tasks.ts';
import { isAllowed } from './mcp/tool-filter.ts';
import { listTools } from './mcp/tool-list.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  DEFAULT_START_TIMEOUT_MS,
  type FillSecrets,
  type McpServerConfig,
} from './server-config.ts';

/** Maximum milliseconds that a call waits for the next connection attempt. If the pause is longer, the call fails. */
const MAX_WAIT_MS = 2_000;

/** More options of {@link mcpConnector}. */
export interface McpConnectorOptions {
  /** Receives lines about unusual messages of the server that are not errors. Configured secrets are redacted. */
  readonly log?: (line: string) => void;
  /** Fills the secrets of the configuration, before each connection. Default: there are none. */
  readonly fill?: FillSecrets;
}

/**
 * Creates the connector for an MCP server. The server is started or connected when it is first needed, and stays connected.
 * When it dies, running calls fail, and the next call starts it again, with growing pauses. No call is ever sent twice.
 *
 * The timeout of a call does not include the start of the server, and progress reports do not extend it. Results are not
 * validated against the output schema: programs get the data of a tool that breaks its own schema.
 */
export function mcpConnector(name: string, config: McpServerConfig, options: McpConnectorOptions = {}): Connector {
  return new McpConnector(name, config, options);
}

class McpConnector implements Connector {
  readonly name: string;
  readonly context: McpContext;
  readonly #config: McpServerConfig;
  readonly #log: (line: string) => void;
  readonly #fill: FillSecrets;
  #redact: (text: string) => string;
  readonly #backoff = new Backoff();
  readonly #closing = new AbortController();
  readonly #inFlight = new WeakMap<OpenConnection, number>();
  readonly #listeners = new Set<() => void>();
  #connection: OpenConnection | undefined;
  #connecting: Promise<OpenConnection> | undefined;
  #tools: Promise<readonly ToolDefinition[]> | undefined;
  #omitted: readonly OmittedTool[] = [];
  #isLegacy = false;
  #about: string | undefined;
  #instructions: string | undefined;
  #problem: string | undefined;
  #starts = 0;

  constructor(name: string, config: McpServerConfig, { log, fill }: McpConnectorOptions) {
    this.name = name;
    this.#config = config;
    this.#fill = fill ?? (async (_server, own) => own);
    this.#redact = secretRedactor(config);
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
    return {
      state: this.#state(),
      starts: this.#starts,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
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
    const { signal, onProgress, onResult } = options;
    const timeoutMs = options.timeoutMs ?? this.#config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    if (!isAllowed(tool, this.#config.tools)) {
      throw new ToolwrightError('UNKNOWN_TOOL', `mcpServers.${this.name}.tools does not allow ${tool}.`);
    }
    const connection = this.#ready(signal) ?? (await orCancelled(this.#connect(), signal, tool, this.name));
    const definition = await this.#definitionFor(connection, tool);
    this.#count(connection, 1);
    describeSpan({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': connection.protocol,
      'network.transport': 'command' in this.#config ? 'pipe' : 'tcp',
    });
    const trace = traceFields();
    try {
      const answer = await connection.client.callTool(
        { name: tool, arguments: { ...args }, ...(trace.traceparent === undefined ? {} : { _meta: { ...trace } }) },
        {
          timeout: timeoutMs,
          ...(definition === undefined ? {} : { toolDefinition: definition }),
          ...(signal === undefined ? {} : { signal }),
          ...(onProgress === undefined
            ? {}
            : { onprogress: (report) => onProgress(JSON.parse(JSON.stringify(report))) }),
        },
      );
      this.#backoff.succeeded();
      const result = await finishTask(answer, {
        ...{ server: this.name, tool, signal },
        client: async () => (await this.#connect()).client,
        onStatus: onProgress && ((message) => onProgress({ progress: 0, message })),
      });
      const data = unwrap(result, this.name);
      onResult?.(rawResult(result));
      return data;
    } catch (error) {
      if (this.#closing.signal.aborted) throw this.#closedError();
      const context = { server: this.name, tool, timeoutMs, signal, redact: this.#redact };
      const failure = callFailure(error, {
        ...context,
        evidence: connection.evidence(),
        unreadable: connection.unreadable(),
      });
      if (losesConnection(error)) this.#lose(connection, failure.message);
      throw failure;
    } finally {
      this.#count(connection, -1);
    }
  }

  /** Runs a request about resources or prompts on the connection. */
  readonly #use: McpContextOptions['use'] = async (label, { signal }, work) => {
    const connection = this.#ready(signal) ?? (await orCancelled(this.#connect(), signal, label, this.name));
    this.#count(connection, 1);
    try {
      const answer = await work(connection.client);
      this.#backoff.succeeded();
      return answer;
    } catch (error) {
      if (this.#closing.signal.aborted) throw this.#closedError();
      const timeoutMs = this.#config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
      const context = { server: this.name, tool: label, timeoutMs, signal, redact: this.#redact };
      const failure = callFailure(error, { ...context, evidence: connection.evidence() });
      if (losesConnection(error)) this.#lose(connection, failure.message);
      throw failure;
    } finally {
      this.#count(connection, -1);
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close();
  }

  #state(): ConnectorStatus['state'] {
    if (this.#closing.signal.aborted) return 'closed';
    if (this.#connection !== undefined) return 'ready';
    if (this.#connecting !== undefined) return 'connecting';
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
      this.#redact = secretRedactor(filled);
      const connection = await openConnection(this.name, filled, {
        // The server used an old revision before: it needs no second probe.
        mode: this.#isLegacy ? 'legacy' : (this.#config.protocol ?? 'auto'),
        signal: this.#closing.signal,
        redact: this.#redact,
        log: this.#log,
        onToolsChanged: () => this.#toolsChanged(),
        onStart: () => {
          this.#starts++;
        },
      });
      this.#adopt(connection);
      return connection;
    } catch (error) {
      this.#isLegacy = false;
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#backoff.failed();
      throw error;
    }
  }

  #adopt(connection: OpenConnection): void {
    const isRestart = this.#problem !== undefined;
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
      const { tools, omitted } = await listTools(this.name, connection.client, timeoutMs);
      const allowed = tools.filter(({ name }) => isAllowed(name, this.#config.tools));
      const unsendable = allowed.flatMap((tool): OmittedTool[] => {
        const problem = this.#headerProblem(tool, connection);
        return problem === undefined ? [] : [{ name: tool.name, problem }];
      });
      this.#omitted = [...omitted.filter(({ name }) => isAllowed(name, this.#config.tools)), ...unsendable];
      for (const { name, problem } of this.#omitted) this.#log(`left out the tool "${name}": ${problem}`);
      return allowed.filter(({ name }) => !unsendable.some((tool) => tool.name === name));
    } catch (error) {
      const context = { server: this.name, tool: 'tools/list', timeoutMs, signal: undefined, redact: this.#redact };
      throw callFailure(error, { ...context, evidence: connection.evidence() });
    }
  }

  /** Returns why the arguments of a tool cannot be copied to headers as its schema requires (2026-07-28, HTTP). */
  #headerProblem({ inputSchema }: ToolDefinition, { client }: OpenConnection): string | undefined {
    if ('command' in this.#config || client.getProtocolEra() !== 'modern') return undefined;
    return headerProblem(inputSchema);
  }

  /**
   * Returns the definition that the SDK needs to copy arguments to headers (2026-07-28, HTTP). It has no output schema, so
   * that the SDK does not discard a result that breaks it.
   */
  async #definitionFor(connection: OpenConnection, tool: string): Promise<SdkTool | undefined> {
    if (connection.client.getProtocolEra() !== 'modern') return undefined;
    const found = (await this.tools()).find(({ name }) => name === tool);
    return found === undefined ? undefined : ({ name: tool, inputSchema: found.inputSchema } as SdkTool);
  }

  #toolsChanged(): void {
    this.#tools = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}

type SdkTool = NonNullable<NonNullable<Parameters<OpenConnection['client']['callTool']>[1]>['toolDefinition']>;

/** Waits for `work` until the caller aborts `signal`. */
async function orCancelled<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  tool: string,
  server: string,
): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  const error = () =>
    new ToolwrightError('CANCELLED', `The call of ${tool} on ${server} was cancelled before it was sent.`);
  if (signal.aborted) throw error();
  let onAbort: () => void = () => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(error());
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
