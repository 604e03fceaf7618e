import { setTimeout as sleep } from 'node:timers/promises';
import {
  InsufficientScopeError,
  ProtocolError,
  type SSEClientTransport,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../errors.ts';
import { isConnectionRefused, REFUSED } from '../network/network-reason.ts';
import { shownAddress } from '../network/shown-address.ts';
import {
  DEFAULT_START_TIMEOUT_MS,
  type HttpServerConfig,
  type McpServerConfig,
  type StdioServerConfig,
} from '../servers/server-config.ts';
import { connectReason, httpStatus } from './calls/call-failure.ts';
import { type Connection, type ConnectionOptions, connect } from './connection.ts';
import { sseTransport, streamableTransport } from './http/transports.ts';
import { MessageReader } from './messages/reader.ts';
import type { Account } from './oauth/account.ts';
import { StdioTransport } from './stdio/transport.ts';

/**
 * Milliseconds for a stdio server to answer `server/discover`. A server before 2026-07-28 may not answer. It then gets
 * `initialize`, so its start takes this much longer.
 */
const STDIO_PROBE_MS = 1_500;

/** Milliseconds for the request that ends a session on an HTTP server. */
const CLOSE_TIMEOUT_MS = 500;

/** The statuses with which an HTTP+SSE server rejects a POST (specification: Transports, Backwards Compatibility). */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405]);

/** More options of {@link openConnection}. */
export interface OpenOptions extends ConnectionOptions {
  readonly redact: (text: string) => string;
  /** Called for each started process or connection. */
  readonly onStart: () => void;
  /** Adds tokens to the requests of an HTTP server. */
  readonly account?: Account | undefined;
}

/** An open connection, and facts about the server for error messages. */
export interface OpenConnection extends Connection {
  /** Returns sentences about the server's process for an error message, without secrets; may be empty. */
  evidence(): string;
  /** Returns the part of them about output that is not valid JSON-RPC. */
  unreadable(): string;
  /** Returns whether the server keeps state between requests, which it may lose while its address stays. */
  hasSession(): boolean;
}

/**
 * Starts the server, or connects to it, and does the handshake. Raises `UPSTREAM_UNAVAILABLE` with the exit code, stderr and
 * unreadable output, and `CLOSED` when the signal is aborted.
 */
export function openConnection(name: string, config: McpServerConfig, options: OpenOptions): Promise<OpenConnection> {
  return 'command' in config ? openStdio(name, config, options) : openHttp(name, config, options);
}

async function openStdio(name: string, config: StdioServerConfig, options: OpenOptions): Promise<OpenConnection> {
  const timeoutMs = config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  const attempt = async (mode: OpenOptions['mode'], transport: StdioTransport): Promise<OpenConnection> => {
    const evidence = (): string => options.redact(transport.evidence());
    options.onStart();
    const connection = await connect(transport, {
      ...options,
      reader,
      mode,
      timeoutMs,
      probeTimeoutMs: STDIO_PROBE_MS,
    });
    return {
      ...connection,
      evidence,
      unreadable: () => options.redact(transport.unreadable()),
      hasSession: () => false,
    };
  };
  const reader = new MessageReader(options.log);
  let transport = new StdioTransport(name, config, reader);
  try {
    try {
      return await attempt(options.mode, transport);
    } catch (error) {
      const instead = otherMode(options.mode, error, transport);
      if (instead === undefined) throw error;
      transport = new StdioTransport(name, config, reader);
      // If the modern attempt fails too, the first error is the meaningful one.
      return await attempt(instead, transport).catch((second) =>
        Promise.reject(instead === 'modern' && !transport.endedByItself ? error : second),
      );
    }
  } catch (error) {
    const { pid, endedByItself } = transport;
    const reason = endedByItself
      ? 'its process ended before the end of the handshake.'
      : connectReason(error, name, options.redact);
    const advice =
      pid === null || endedByItself ? '' : ` Run the command by hand, or raise mcpServers.${name}.startTimeoutMs.`;
    throw startFailure(name, `start: ${reason}${advice}${options.redact(transport.evidence())}`, options);
  }
}

/** Returns the mode for a second attempt with a new process, after a failure in mode `auto`; undefined for none. */
function otherMode(
  mode: OpenOptions['mode'],
  error: unknown,
  transport: StdioTransport,
): 'legacy' | 'modern' | undefined {
  if (mode !== 'auto' || transport.pid === null) return undefined;
  // A modern server that started too slowly for the probe rejects `initialize`.
  if (error instanceof ProtocolError) return 'modern';
  // Some old servers exit when the first message is not `initialize`.
  return transport.endedByItself ? 'legacy' : undefined;
}

async function openHttp(name: string, config: HttpServerConfig, options: OpenOptions): Promise<OpenConnection> {
  const timeoutMs = config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  const reader = new MessageReader(options.log);
  const attempt = async (
    mode: OpenOptions['mode'],
    transport: SSEClientTransport | StreamableHTTPClientTransport,
  ): Promise<OpenConnection> => {
    options.onStart();
    const connection = await connect(transport, { ...options, reader, mode, timeoutMs, probeTimeoutMs: timeoutMs });
    const close = async (): Promise<void> => {
      // Optional (specification: Transports, Session Management), so it must not delay the end.
      const goodbye = 'terminateSession' in transport ? transport.terminateSession() : Promise.resolve();
      await Promise.race([goodbye.catch(() => undefined), sleep(CLOSE_TIMEOUT_MS)]);
      await connection.close();
    };
    const hasSession = () => !('sessionId' in transport) || transport.sessionId !== undefined;
    return { ...connection, close, hasSession, evidence: () => '', unreadable: () => '' };
  };
  try {
    if (config.type === 'sse') return await attempt('legacy', sseTransport(config, reader, options.account));
    try {
      return await attempt(options.mode, streamableTransport(config, reader, options.account));
    } catch (error) {
      const next = otherTransport(config, options, reader, error);
      if (next === undefined) throw error;
      options.log(`the first attempt failed with HTTP ${httpStatus(error)}; trying an older protocol`);
      // If both attempts fail, the first error is the meaningful one.
      return await attempt('legacy', next).catch(() => Promise.reject(error));
    }
  } catch (error) {
    if (isAboutLogin(error)) throw error;
    const rejected = httpStatus(error) === 401 ? options.account?.rejected() : undefined;
    if (rejected) throw rejected;
    const reason = connectReason(error, name, options.redact);
    const network = isConnectionRefused(error) ? { network: REFUSED } : {};
    throw startFailure(name, `connect to ${shownAddress(config.url)}: ${reason}`, options, network);
  }
}

/** Returns the transport for a second attempt after Streamable HTTP failed; undefined for none. */
function otherTransport(
  config: HttpServerConfig,
  { mode, account }: OpenOptions,
  reader: MessageReader,
  error: unknown,
): SSEClientTransport | StreamableHTTPClientTransport | undefined {
  const status = httpStatus(error);
  if (mode === 'modern' || status === undefined) return undefined;
  // Some old servers fail on `server/discover` with a server error.
  if (mode === 'auto' && status >= 500) return streamableTransport(config, reader, account);
  return config.type === undefined && NOT_STREAMABLE.has(status) ? sseTransport(config, reader, account) : undefined;
}

/** Returns whether an error reports a missing or impossible login, or missing scopes. */
function isAboutLogin(error: unknown): boolean {
  if (error instanceof InsufficientScopeError) return true;
  return error instanceof ToolwrightError && (error.code === 'AUTHORIZATION_REQUIRED' || 'server' in error.details);
}

function startFailure(name: string, text: string, { signal }: OpenOptions, more: object = {}): ToolwrightError {
  if (signal.aborted) return new ToolwrightError('CLOSED', `${name} was closed while it was connecting.`);
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', `${name} could not ${text}`, {
    details: { server: name, ...more },
  });
}
