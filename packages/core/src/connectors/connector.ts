import type { ToolDefinition } from '../catalog/tool.ts';

/** How an upstream stands right now, for `doctor` and for error messages. */
export interface ConnectorStatus {
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed' | 'closed';
  /** What went wrong and what to do, when the state is `failed`. */
  readonly problem?: string;
  /** Protocol revision that was negotiated, when the upstream speaks MCP. */
  readonly protocol?: string;
  /** How often the upstream was started or connected. */
  readonly starts: number;
}

/** Options of one call to a tool. */
export interface ToolCallOptions {
  /** Aborting cancels the call on the upstream as well. */
  readonly signal?: AbortSignal;
  /** Milliseconds; overrides the connector's own default. */
  readonly timeoutMs?: number;
  /** Called for each progress report of the upstream. */
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/**
 * A source of tools: an MCP server, functions of the embedding program, …
 *
 * Connecting is lazy: `tools()` and `call()` connect when needed and share one warm connection. Errors are
 * `ToolwrightError`s: `TOOL_FAILED` when the tool itself refused, `TOOL_TIMEOUT`, `UPSTREAM_UNAVAILABLE` or
 * `UPSTREAM_PROTOCOL` when the upstream did.
 */
export interface Connector extends AsyncDisposable {
  /** Name of the upstream; the first half of its tools' names. */
  readonly name: string;
  /** One line about the upstream, when the configuration or the upstream gives one. */
  readonly description?: string | undefined;
  status(): ConnectorStatus;
  /** All tools that the configuration allows, after the last page. */
  tools(): Promise<readonly ToolDefinition[]>;
  /** Resolves to the tool's data: structured content, else parsed JSON text, else text, else content blocks. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<unknown>;
  /** Registers a listener that is told when the set of tools may have changed. Returns the remover. */
  onToolsChanged(listener: () => void): () => void;
}
