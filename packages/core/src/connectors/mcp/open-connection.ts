import { setTimeout as sleep } from 'node:timers/promises';
import {
  ProtocolError,
  type SSEClientTransport,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import {
  DEFAULT_START_TIMEOUT_MS,
  type HttpServerConfig,
  type ServerConfig,
  type StdioServerConfig,
} from '../server-config.ts';
import { connectReason, httpStatus } from './call-failure.ts';
import { type Connection, type ConnectOptions, connect } from './connection.ts';
import { shownUrl, sseTransport, streamableTransport } from './http/transports.ts';
import { StdioTransport } from './stdio/transport.ts';

/**
 * Milliseconds for a stdio server to answer `server/discover`. Servers older than 2026-07-28 may keep silent; they are
 * then asked with `initialize`, so this is what such a server costs at its start.
 */
const STDIO_PROBE_MS = 1_500;

/** Milliseconds to tell an HTTP server that its session is over. */
const CLOSE_TIMEOUT_MS = 500;

/** The statuses with which a server of HTTP+SSE refuses a POST (specification: Transports, Backwards Compatibility). */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405]);

/** What {@link openConnection} needs beside the configuration. */
export interface OpenOptions extends Pick<ConnectOptions, 'mode' | 'signal' | 'onToolsChanged' | 'log'> {
  readonly redact: (text: string) => string;
  /** Told of each process or connection that is started. */
  readonly onStart: () => void;
}

/** An open connection and what can be said about its other end. */
export interface OpenConnection extends Connection {
  /** Sentences about the upstream's process for an error message, without secrets; may be empty. */
  evidence(): string;
  /** The part of it about what the upstream said and nobody could read. */
  unreadable(): string;
}

/**
 * Starts or reaches the upstream and does the handshake.
 *
 * @throws ToolwrightError `UPSTREAM_UNAVAILABLE` with all that is known: exit code, stderr, what was printed; or
 * `CLOSED` when the signal was aborted.
 */
export function openConnection(name: string, config: ServerConfig, options: OpenOptions): Promise<OpenConnection> {
  return 'command' in config ? openStdio(name, config, options) : openHttp(name, config, options);
}

async function openStdio(name: string, config: StdioServerConfig, options: OpenOptions): Promise<OpenConnection> {
  const timeoutMs = config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  const attempt = async (mode: OpenOptions['mode'], transport: StdioTransport): Promise<OpenConnection> => {
    const evidence = (): string => options.redact(transport.evidence());
    options.onStart();
    const connection = await connect(transport, { ...options, mode, timeoutMs, probeTimeoutMs: STDIO_PROBE_MS });
    return { ...connection, evidence, unreadable: () => options.redact(transport.unreadable()) };
  };
  let transport = new StdioTransport(name, config);
  try {
    try {
      return await attempt(options.mode, transport);
    } catch (error) {
      const instead = otherMode(options.mode, error, transport);
      if (instead === undefined) throw error;
      transport = new StdioTransport(name, config);
      // A server that is not modern either has said with its first refusal what is wrong.
      return await attempt(instead, transport).catch((second) =>
        Promise.reject(instead === 'modern' && !transport.endedByItself ? error : second),
      );
    }
  } catch (error) {
    const { pid, endedByItself } = transport;
    const reason = endedByItself
      ? 'it ended before the handshake was done.'
      : connectReason(error, name, options.redact);
    const advice =
      pid === null || endedByItself ? '' : ` Run the command by hand, or raise mcpServers.${name}.startTimeoutMs.`;
    throw startFailure(name, `start: ${reason}${advice}${options.redact(transport.evidence())}`, options);
  }
}

/** What to try with a fresh process after an attempt in mode `auto` failed; undefined when nothing promises more. */
function otherMode(
  mode: OpenOptions['mode'],
  error: unknown,
  transport: StdioTransport,
): 'legacy' | 'modern' | undefined {
  if (mode !== 'auto' || transport.pid === null) return undefined;
  // A server that needed longer to start than the probe lasted refuses `initialize` when it is modern only.
  if (error instanceof ProtocolError) return 'modern';
  // Some old servers end themselves when the first message is not `initialize`.
  return transport.endedByItself ? 'legacy' : undefined;
}

async function openHttp(name: string, config: HttpServerConfig, options: OpenOptions): Promise<OpenConnection> {
  const timeoutMs = config.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  const attempt = async (
    mode: OpenOptions['mode'],
    transport: SSEClientTransport | StreamableHTTPClientTransport,
  ): Promise<OpenConnection> => {
    options.onStart();
    const connection = await connect(transport, { ...options, mode, timeoutMs, probeTimeoutMs: timeoutMs });
    const close = async (): Promise<void> => {
      // A courtesy (specification: Transports, Session Management) that must not hold up the end.
      const goodbye = 'terminateSession' in transport ? transport.terminateSession() : Promise.resolve();
      await Promise.race([goodbye.catch(() => undefined), sleep(CLOSE_TIMEOUT_MS)]);
      await connection.close();
    };
    return { ...connection, close, evidence: () => '', unreadable: () => '' };
  };
  try {
    if (config.type === 'sse') return await attempt('legacy', sseTransport(config));
    try {
      return await attempt(options.mode, streamableTransport(config));
    } catch (error) {
      const next = otherTransport(config, options.mode, error);
      if (next === undefined) throw error;
      options.log(`the first attempt failed with HTTP ${httpStatus(error)}, trying an older protocol`);
      // The first refusal says more when the second fails as well.
      return await attempt('legacy', next).catch(() => Promise.reject(error));
    }
  } catch (error) {
    const reason = connectReason(error, name, options.redact);
    throw startFailure(name, `connect to ${shownUrl(config.url)}: ${reason}`, options);
  }
}

/** What to try after Streamable HTTP failed; undefined when nothing promises more. */
function otherTransport(
  config: HttpServerConfig,
  mode: OpenOptions['mode'],
  error: unknown,
): SSEClientTransport | StreamableHTTPClientTransport | undefined {
  const status = httpStatus(error);
  if (mode === 'modern' || status === undefined) return undefined;
  // Some old servers break over `server/discover` instead of refusing it.
  if (mode === 'auto' && status >= 500) return streamableTransport(config);
  return config.type === undefined && NOT_STREAMABLE.has(status) ? sseTransport(config) : undefined;
}

function startFailure(name: string, text: string, { signal }: OpenOptions): ToolwrightError {
  if (signal.aborted) return new ToolwrightError('CLOSED', `${name} was closed while it was connecting.`);
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', `${name} could not ${text}`, { details: { server: name } });
}
