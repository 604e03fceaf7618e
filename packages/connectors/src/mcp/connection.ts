import { createRequire } from 'node:module';
import { SseError, type Transport } from '@modelcontextprotocol/client';
import { cutOutsideValues } from '@toolwright/pii/internal';
import { ToolwrightError } from '../errors.ts';
import type { ProtocolMode } from '../servers/server-config.ts';
import { CallClient } from './calls/send-call.ts';
import { acceptTasks } from './calls/tasks.ts';
import { answerRequests, inputCapabilities, type RequestHandlerOptions } from './input/handlers.ts';
import type { MessageReader } from './messages/reader.ts';
import { firstSentence } from './tools/first-sentence.ts';
import { subscribeToChanges } from './tools/list-subscription.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

/** The first modern revision, which the mode `modern` requires. */
const MODERN_REVISION = '2026-07-28';

/** Maximum characters of a server's description. */
const ABOUT_LENGTH = 300;

/** A client after its handshake. */
export interface Connection {
  readonly client: CallClient;
  /** Negotiated protocol revision. */
  readonly protocol: string;
  /** The server's own description: one sentence. */
  readonly about: string | undefined;
  /** The server's instructions for models, whole. */
  readonly instructions: string | undefined;
  /** Resolves when the connection is closed, for any reason. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The options of {@link connect}. */
export interface ConnectionOptions {
  readonly mode: ProtocolMode;
  /** Aborting ends the handshake. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  /** Receives the log of the server. */
  readonly onServerLog: (line: { readonly level: string; readonly data?: unknown }) => void;
  /** How requests of the server are answered. */
  readonly requests: RequestHandlerOptions;
  readonly log: (line: string) => void;
}

/** Options of {@link connect}. */
export interface ConnectOptions extends ConnectionOptions {
  /** Milliseconds for the answer to `server/discover` in mode `auto`. */
  readonly probeTimeoutMs: number;
  /** Milliseconds for the whole handshake. */
  readonly timeoutMs: number;
  /** Reads all messages of the transport. */
  readonly reader: MessageReader;
}

/**
 * Starts a transport and does the handshake. The client declares the questions that the server may ask. On failure the transport is
 * closed. Raises the errors of the transport and the SDK, and `UPSTREAM_UNAVAILABLE` after the timeout.
 */
export async function connect(transport: Transport, options: ConnectOptions): Promise<Connection> {
  const { mode } = options;
  const client = new CallClient(
    { name: 'toolwright', version },
    {
      capabilities: inputCapabilities(options.requests.questions),
      inputRequired: { autoFulfill: false },
      versionNegotiation: {
        mode: mode === 'modern' ? { pin: MODERN_REVISION } : mode,
        probe: { timeoutMs: mode === 'auto' ? options.probeTimeoutMs : options.timeoutMs },
      },
    },
  );
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  client.onerror = (error) => {
    // After the first brace the text quotes messages, which may contain data of a tool.
    options.log(error.message.split('{', 1)[0] ?? '');
    // The SDK reopens a broken event stream, but the answers on the old stream are lost.
    if (error instanceof SseError) void client.close();
  };
  client.setNotificationHandler('notifications/tools/list_changed', options.onToolsChanged);
  client.setNotificationHandler('notifications/message', ({ params }) => options.onServerLog(params));
  answerRequests(client, options.requests);
  options.reader.attach(transport);
  try {
    // The SDK's own timeout is per request, and its message has no details.
    await inTime(client.connect(transport, { timeout: 2 * options.timeoutMs }), options);
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
  acceptTasks(transport);
  client.takeCalls(transport);
  await subscribeToChanges(client, options.onToolsChanged).catch((error: Error) => options.log(error.message));
  return {
    client,
    protocol: client.getNegotiatedProtocolVersion() ?? MODERN_REVISION,
    about: describe(client),
    instructions: client.getInstructions(),
    closed,
    close: () => client.close(),
  };
}

async function inTime(work: Promise<void>, { timeoutMs, signal }: ConnectOptions): Promise<void> {
  let fail: (reason: ToolwrightError) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const timer = setTimeout(
    () => fail(new ToolwrightError('UPSTREAM_UNAVAILABLE', `it did not answer the handshake within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onAbort = (): void => fail(new ToolwrightError('CLOSED', 'it was closed while connecting'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

function describe(client: CallClient): string | undefined {
  const info = client.getServerVersion();
  const texts = [info?.description, client.getInstructions()].map((text) => firstSentence(text ?? ''));
  // A title or a name is a label, and still better than nothing.
  const [line] = [...texts, info?.title, info?.name].filter((text) => text !== undefined && text.trim() !== '');
  return line?.slice(0, cutOutsideValues(line, ABOUT_LENGTH));
}
