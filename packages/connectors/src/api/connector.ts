import { setMaxListeners } from 'node:events';
import type { Connector, ConnectorStatus, OmittedTool, ToolCallOptions } from '../connector.ts';
import { redactSecrets } from '../content/secret-redactor.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  DEFAULT_START_TIMEOUT_MS,
  type FillSecrets,
  type GraphqlServerConfig,
  type OpenApiServerConfig,
} from '../servers/server-config.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { isAllowed } from '../tools/tool-filter.ts';
import { inScope, orAborted } from './call-scope.ts';
import type { CallScope } from './request.ts';

/** An API whose description was read. */
export interface Api {
  /** One line about the API. */
  readonly about?: string | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly omitted: readonly OmittedTool[];
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    scope: CallScope,
    onResult: ToolCallOptions['onResult'],
  ): Promise<unknown>;
  /** Returns the values that no text may contain. */
  secrets(): readonly string[];
}

/** More options of the connectors of APIs. */
export interface ApiOptions {
  /** Receives lines about tools that are left out. */
  readonly log?: (line: string) => void;
  /** Fills the secrets of the configuration, before the description is read. Default: there are none. */
  readonly fill?: FillSecrets;
}

type ApiConfig = OpenApiServerConfig | GraphqlServerConfig;

/** The parts in which connectors of APIs differ. */
export interface ApiConnectorOptions<Config extends ApiConfig> extends ApiOptions {
  readonly config: Config;
  /** Reads the description. The secrets of `config` are filled. */
  readonly load: (config: Config, scope: CallScope) => Promise<Api>;
}

/** Creates the connector of an API. It reads the description when it is first needed, once, and again after a failure. */
export function apiConnector<Config extends ApiConfig>(name: string, options: ApiConnectorOptions<Config>): Connector {
  return new ApiConnector(name, options);
}

class ApiConnector<Config extends ApiConfig> implements Connector {
  readonly name: string;
  readonly #options: ApiConnectorOptions<Config>;
  readonly #closing = new AbortController();
  #api: Api | undefined;
  #loading: Promise<Api> | undefined;
  #problem: string | undefined;
  #starts = 0;

  constructor(name: string, options: ApiConnectorOptions<Config>) {
    this.name = name;
    this.#options = options;
    // One listener per running call: Node warns of a leak otherwise.
    setMaxListeners(0, this.#closing.signal);
  }

  get description(): string | undefined {
    return this.#options.config.description ?? this.#api?.about;
  }

  status(): ConnectorStatus {
    const { omitted = [] } = this.#api ?? {};
    return {
      state: this.#state(),
      starts: this.#starts,
      problem: this.#problem,
      omittedTools: omitted.length === 0 ? undefined : omitted,
    };
  }

  /** The tools of a description do not change. */
  onToolsChanged(): () => void {
    return () => undefined;
  }

  async tools(): Promise<readonly ToolDefinition[]> {
    return (await this.#load()).tools;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions = {}): Promise<unknown> {
    const { config } = this.#options;
    if (!isAllowed(tool, config.tools)) {
      throw new ToolwrightError('UNKNOWN_TOOL', `mcpServers.${this.name}.tools does not allow ${tool}.`);
    }
    const timeoutMs = options.timeoutMs ?? config.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    const limits = { server: this.name, tool, timeoutMs, signal: options.signal, closing: this.#closing.signal };
    try {
      return await inScope(limits, async (scope) => {
        const api = await orAborted(this.#load(), scope.signal);
        return api.call(tool, args, scope, options.onResult);
      });
    } catch (error) {
      throw this.#redacted(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#loading?.catch(() => undefined);
    this.#api = undefined;
  }

  #state(): ConnectorStatus['state'] {
    if (this.#closing.signal.aborted) return 'closed';
    if (this.#api !== undefined) return 'ready';
    if (this.#loading !== undefined) return 'connecting';
    return this.#problem === undefined ? 'idle' : 'failed';
  }

  async #load(): Promise<Api> {
    if (this.#api !== undefined) return this.#api;
    this.#loading ??= this.#open().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #open(): Promise<Api> {
    const { config, load, log, fill } = this.#options;
    const timeoutMs = config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
    const limits = { server: this.name, tool: 'the description', timeoutMs, closing: this.#closing.signal };
    this.#starts++;
    try {
      const filled = fill ? await fill(this.name, config) : config;
      const api = await inScope(limits, (scope) => load(filled, scope));
      for (const { name, problem } of api.omitted) log?.(`left out the tool "${name}": ${problem}`);
      this.#problem = undefined;
      this.#api = api;
      return api;
    } catch (thrown) {
      const error = this.#redacted(isTimeout(thrown) ? slowDescription(this.name, timeoutMs) : thrown);
      this.#problem = messageOf(error);
      throw error;
    }
  }

  #redacted(error: unknown): unknown {
    if (!(error instanceof ToolwrightError) || this.#api === undefined) return error;
    const message = redactSecrets(error.message, this.#api.secrets());
    return message === error.message ? error : new ToolwrightError(error.code, message, { details: error.details });
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ToolwrightError && error.code === 'TOOL_TIMEOUT';
}

function slowDescription(server: string, timeoutMs: number): ToolwrightError {
  const text = `${server} did not send its description within ${timeoutMs} ms. Raise mcpServers.${server}.startTimeoutMs, or save the description as a file.`;
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server } });
}
