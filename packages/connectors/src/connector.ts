import type { InputOptions } from './input.ts';
import type { ContextSource } from './resource.ts';
import type { ToolDefinition } from './tools/tool.ts';

/** A tool that is left out because it is unusable. Its server's other tools can be called. */
export interface OmittedTool {
  /** The server's name for it, shortened. */
  readonly name: string;
  /** The reason, without an end mark: `its definition is nested deeper than 200 levels`. */
  readonly problem: string;
}

/** The current state of a server, for `doctor` and for error messages. */
export interface ConnectorStatus {
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed' | 'authorization required' | 'closed';
  /** The problem and its fix, when the state is `failed` or `authorization required`. */
  readonly problem?: string;
  /** The negotiated protocol revision of an MCP server. */
  readonly protocol?: string;
  /** The tools of the last listing that the connector left out. */
  readonly omittedTools?: readonly OmittedTool[];
  /** How often the server was started or connected. */
  readonly starts: number;
  /** When the state is `failed`: the time of the next probe, in ISO 8601. */
  readonly nextProbeAt?: string;
}

/** The whole result of a call, as the MCP specification defines it. */
export interface RawResult {
  /** The blocks: text, images, audio, resources and links, with their `annotations` and `_meta`. */
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** Options of one call to a tool. */
export interface ToolCallOptions extends InputOptions {
  /** Aborting cancels the call, on the server too. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the call. Default: the connector's own. */
  readonly timeoutMs?: number;
  /** The user whose program calls. A source that divides its work among users needs it. */
  readonly userId?: string;
  /** The values of {@link Connector.clientHeaders} in the request of the client. They are in no error, log or journal. */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined;
  /** Receives the whole result of a tool whose source has more than its data: `_meta`, annotations, links. */
  readonly onResult?: (result: RawResult) => void;
  /** Receives each progress report of the server. */
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** The part of a source that answers the calls of its tools. */
export interface ToolEndpoint {
  /** Whether its calls never have questions, pauses or progress of tasks: `call` gets no options for them. Default: false. */
  readonly neverAsks?: boolean;
  /** Names of headers of the client's request, in lower case, that each call needs. Other sources get no header. Default: none. */
  readonly clientHeaders?: readonly string[];
  /** Calls a tool. Returns its data: structured content, else parsed JSON text, else text, else content blocks. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<unknown>;
  /**
   * Ends a paused call that nobody continues: its task at the server is cancelled. `state` is the last one of `onPaused`. Resolves also
   * when the server cannot be reached.
   */
  cancelPaused?(tool: string, state: unknown, options?: ToolCallOptions): Promise<void>;
}

/**
 * The port of all sources of tools: MCP servers, functions of the embedding program, and connectors of your own, which the
 * conformance suite `@toolwright/conformance/connector` tests.
 *
 * A connector connects lazily: `tools()` and `call()` connect when needed and share one connection. All errors are
 * `ToolwrightError`s: `TOOL_FAILED` when the tool itself failed, `UNKNOWN_TOOL`, `INVALID_ARGUMENTS`, `TOOL_TIMEOUT`,
 * `CANCELLED`, `CLOSED`, and `UPSTREAM_UNAVAILABLE` or `UPSTREAM_PROTOCOL` when the server failed. `AUTHORIZATION_REQUIRED`:
 * the user must log in first, and the server has executed nothing.
 */
export interface Connector extends AsyncDisposable, ToolEndpoint {
  /** The name of the server, which is the first part of its tools' ids. */
  readonly name: string;
  /** One line about the server, from the configuration or from the server. */
  readonly description?: string | undefined;
  /** The server's instructions for models, whole. */
  readonly instructions?: string | undefined;
  /** Whether this program itself defines the tools. Their texts are checked, and they are not pinned. */
  readonly isTrusted?: boolean;
  /**
   * The identity of the server, as a hash of its command or address. Pins and approvals hold for this server only. Absent for functions of this
   * program, and for a source that has no such place.
   */
  readonly serverKey?: string | undefined;
  status(): ConnectorStatus;
  /** Returns all tools that the configuration allows. */
  tools(): Promise<readonly ToolDefinition[]>;
  /**
   * Connects again after a failure. It has no effect at the server: the handshake is sent, and nothing else. Rejects with the error of
   * the connection. Absent for a source that has none.
   */
  probe?(): Promise<void>;
  /** Resources and prompts. Absent for a source that has none. */
  readonly context?: ContextSource;
  /** Calls `listener` when the tools may have changed. Returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
}
