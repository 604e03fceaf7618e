/** The default timeout of a tool call, in milliseconds. */
export const DEFAULT_CALL_TIMEOUT_MS = 60_000;

/** The default timeout for starting a server or connecting to it, in milliseconds. */
export const DEFAULT_START_TIMEOUT_MS = 30_000;

/** The tools of a server that the catalog contains. Patterns match whole names; `*` matches any characters. */
export interface ToolFilter {
  /** Includes only tools that match one of these patterns. Default: all. */
  readonly allow?: readonly string[] | undefined;
  /** Excludes tools that match one of these patterns, even if `allow` includes them. Default: none. */
  readonly deny?: readonly string[] | undefined;
}

/**
 * The protocol revisions to try. `auto` sends `server/discover` and falls back to `initialize`. `legacy` sends `initialize`
 * only (revisions up to 2025-11-25). `modern` is revision 2026-07-28 only.
 */
export type ProtocolMode = 'auto' | 'legacy' | 'modern';

/** The options of every kind of server. */
export interface CommonServerConfig {
  /** One line about the server. Default: the server's own description. */
  readonly description?: string | undefined;
  /** Milliseconds per tool call, progress reports included. Default {@link DEFAULT_CALL_TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds to start or connect, and for each page of the tool list. Default {@link DEFAULT_START_TIMEOUT_MS}. */
  readonly startTimeoutMs?: number | undefined;
  readonly tools?: ToolFilter | undefined;
  /** Default `auto`. */
  readonly protocol?: ProtocolMode | undefined;
}

/** A server that Toolwright starts as a child process. The protocol runs over its stdin and stdout. */
export interface StdioServerConfig extends CommonServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables in addition to the short list of harmless ones that every server gets. No others are passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A file of further variables, in the format of `.env`. `env` has priority. */
  readonly envFile?: string | undefined;
  /** Absolute path of the working directory. Default: that of Toolwright. */
  readonly cwd?: string | undefined;
}

/** A server that runs elsewhere, with its URL. */
export interface HttpServerConfig extends CommonServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `http` is Streamable HTTP, `sse` the deprecated HTTP+SSE. Default: `http`, then `sse` if the server rejects it. */
  readonly type?: 'http' | 'sse' | undefined;
}

/** The configuration of one MCP server. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;
