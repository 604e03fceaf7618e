import { createRequire } from 'node:module';
import { Client, SseError, type Transport } from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import type { ProtocolMode } from '../server-config.ts';
import { subscribeToChanges } from './list-subscription.ts';

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };

/** The first revision of the modern era, and the one we ask for when nothing older is wanted. */
const MODERN_REVISION = '2026-07-28';

/** Characters of what an upstream says about itself. */
const ABOUT_LENGTH = 300;

/** A client whose handshake is done. */
export interface Connection {
  readonly client: Client;
  /** Negotiated protocol revision. */
  readonly protocol: string;
  /** What the upstream says about itself, in one line. */
  readonly about: string | undefined;
  /** Resolves when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** How {@link connect} goes about it. */
export interface ConnectOptions {
  readonly mode: ProtocolMode;
  /** Milliseconds for the answer to `server/discover` in mode `auto`. */
  readonly probeTimeoutMs: number;
  /** Milliseconds for everything together. */
  readonly timeoutMs: number;
  /** Aborting gives up. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  readonly log: (line: string) => void;
}

/**
 * Does the handshake over a transport that was not started yet. No client capability is declared: an upstream that
 * needs elicitation, sampling or roots is told that there is none. On failure the transport is closed.
 *
 * @throws whatever the transport or the SDK throws, or ToolwrightError `UPSTREAM_UNAVAILABLE` when time is up.
 */
export async function connect(transport: Transport, options: ConnectOptions): Promise<Connection> {
  const { mode } = options;
  const client = new Client(
    { name: 'toolwright', version },
    {
      capabilities: {},
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
    // From the first brace on it quotes messages, which may hold the data of a tool.
    options.log(error.message.split('{', 1)[0] ?? '');
    // An event stream that broke is opened anew by the SDK, but the answers it should have brought are lost.
    if (error instanceof SseError) void client.close();
  };
  client.setNotificationHandler('notifications/tools/list_changed', options.onToolsChanged);
  try {
    // The SDK's own timeout is for each request, and says less when it strikes.
    await inTime(client.connect(transport, { timeout: 2 * options.timeoutMs }), options);
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
  await subscribeToChanges(client, options.onToolsChanged).catch((error: Error) => options.log(error.message));
  return {
    client,
    protocol: client.getNegotiatedProtocolVersion() ?? MODERN_REVISION,
    about: describe(client),
    closed,
    close: () => client.close(),
  };
}

async function inTime(work: Promise<void>, { timeoutMs, signal }: ConnectOptions): Promise<void> {
  let give: (reason: ToolwrightError) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    give = reject;
  });
  const timer = setTimeout(
    () => give(new ToolwrightError('UPSTREAM_UNAVAILABLE', `it did not answer the handshake within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onAbort = (): void => give(new ToolwrightError('CLOSED', 'it was closed while connecting'));
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

function describe(client: Client): string | undefined {
  const info = client.getServerVersion();
  const text = client.getInstructions() ?? info?.description ?? info?.title ?? info?.name;
  return text?.trim().split('\n', 1)[0]?.slice(0, ABOUT_LENGTH);
}
