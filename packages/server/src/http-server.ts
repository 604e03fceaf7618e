import { type Logger, type Store, stderrLogger, type Toolwright } from '@toolwright/core';
import type { Tasks } from './agent/task.ts';

export interface HttpServerOptions {
  /** Runs the programs. It stays open: close the server first, then the Toolwright. */
  readonly toolwright: Toolwright;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Loopback address to listen on. Default: `127.0.0.1`. Other addresses need API keys: use `toolwright serve`. */
  readonly host?: string;
  /** Runs tasks in natural language. Without it, `POST /task` answers 501. */
  readonly tasks?: Tasks;
  /** Keeps idempotency keys, so that they survive this process, for instance `sqliteStore(…)`. Default: in memory. */
  readonly store?: Store;
  /** Whether the user of an MCP client may decide about approvals in a form of the client. Default: true. */
  readonly decideOverMcp?: boolean;
  /** Whether it has the dashboard at `/`. Default: true. */
  readonly dashboard?: boolean;
  /** Default: JSON lines on stderr. */
  readonly logger?: Logger;
}

/** A listening HTTP server. */
export interface HttpServer {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Cancels running requests and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves the HTTP API, its documentation at `/docs`, the dashboard at `/` and MCP at `/mcp`, to clients of this machine. Raises `CONFIG_INVALID`
 * when the host is not a loopback address or the port is taken.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const {
    toolwright,
    host = '127.0.0.1',
    port,
    tasks,
    store,
    decideOverMcp,
    dashboard,
    logger = stderrLogger(),
  } = options;
  const [{ listen }, { mcpServers }] = await Promise.all([import('./listen.ts'), import('./mcp.ts')]);
  const mcp = mcpServers({
    open: async () => toolwright,
    hasDirect: toolwright.hasDirectTools,
    ...{ mayDecide: decideOverMcp ?? true, logger },
  });
  const { url, close } = await listen({
    toolwright,
    mcp,
    logger,
    host,
    port,
    store,
    dashboard,
    tasks,
  });
  return { url, close };
}
