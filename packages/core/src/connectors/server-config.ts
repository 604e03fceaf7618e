/** Milliseconds that one tool call may take when the configuration says nothing. */
export const DEFAULT_CALL_TIMEOUT_MS = 60_000;

/** Milliseconds that starting or connecting to an upstream may take when the configuration says nothing. */
export const DEFAULT_START_TIMEOUT_MS = 30_000;

/** Which tools of an upstream exist for us. Patterns match whole names; `*` stands for any run of characters. */
export interface ToolFilter {
  /** Only tools that match one of these. Default: all. */
  readonly allow?: readonly string[] | undefined;
  /** Never tools that match one of these; wins over `allow`. Default: none. */
  readonly deny?: readonly string[] | undefined;
}

/**
 * Which protocol eras to try: `auto` asks with `server/discover` and falls back to `initialize`, `legacy` is
 * `initialize` only (revisions up to 2025-11-25), `modern` is 2026-07-28 only.
 */
export type ProtocolMode = 'auto' | 'legacy' | 'modern';

/** What every kind of upstream can be configured with. */
export interface CommonServerConfig {
  /** One line about the upstream. Default: what the upstream says about itself. */
  readonly description?: string | undefined;
  /** Milliseconds per tool call, progress reports included. Default {@link DEFAULT_CALL_TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds to start or connect, and for each page of the tool list. Default {@link DEFAULT_START_TIMEOUT_MS}. */
  readonly startTimeoutMs?: number | undefined;
  readonly tools?: ToolFilter | undefined;
  /** Default `auto`. */
  readonly protocol?: ProtocolMode | undefined;
}

/** An upstream that we start as a child process and talk to over its stdin and stdout. */
export interface StdioServerConfig extends CommonServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the short list of harmless variables that every server gets; nothing else of our environment is passed. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Absolute path of the working directory. Default: ours. */
  readonly cwd?: string | undefined;
}

/** An upstream that runs elsewhere and is reached by URL. */
export interface HttpServerConfig extends CommonServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `http` is Streamable HTTP, `sse` the deprecated HTTP+SSE. Default: the first, then the second where it is refused. */
  readonly type?: 'http' | 'sse' | undefined;
}

/** The configuration of one MCP upstream. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;
