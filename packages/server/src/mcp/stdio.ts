import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from '@toolwright/core';
import { withoutLongMessages } from './clients/long-messages.ts';
import { requestsInFlight, withUniqueIds } from './clients/requests-in-flight.ts';
import { type McpServers, subscribedUris } from './context/follow.ts';

/** The largest message of a client, in bytes. Longer messages are refused. */
export const MAX_MESSAGE_BYTES: number = 8 * 1024 * 1024;

/** Milliseconds after the end of the input for the handshake and lists, which end by themselves. A busy machine starts slowly. */
const START_MS = 30_000;
/** Milliseconds after that for calls of tools, which may run long. Clients wait about 2,000 ms for the end of a server. */
const CALL_MS = 1_000;

/**
 * Serves one client on stdin and stdout, which then carry only the protocol. Resolves when the client has disconnected or
 * `signal` is aborted, after it has cancelled running executions. Requests before the end of the input are answered: calls of tools within 1 s
 * after all others.
 */
export async function serveOnStdio(
  factory: McpServers,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<void> {
  const { stdin, stdout } = process;
  const messages = withoutLongMessages(MAX_MESSAGE_BYTES, (id) => {
    const message = `The message has more than ${MAX_MESSAGE_BYTES} bytes. Write large files in a program, or in parts.`;
    logger.warn({ id, bytes: MAX_MESSAGE_BYTES }, 'a message of the client was too long');
    if (id !== undefined) {
      const error = { code: -32600, message, data: { maxBytes: MAX_MESSAGE_BYTES } };
      stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), error })}\n`);
    }
  });
  const transport = new StdioServerTransport(stdin.pipe(messages, { end: false }), stdout, {
    maxBufferSize: 2 * MAX_MESSAGE_BYTES,
  });
  let server: McpServer | undefined;
  const follower = factory.follow(undefined, {
    resourceUpdated: (uri) => void server?.server.sendResourceUpdated({ uri }).catch(() => undefined),
  });
  let lists: Promise<() => void> | undefined;
  const onMessage = (message: unknown) => {
    const uris = subscribedUris(message);
    if (uris === undefined) return;
    follower.add(uris);
    lists ??= factory.followLists({
      resourcesChanged: () => server?.sendResourceListChanged(),
      promptsChanged: () => server?.sendPromptListChanged(),
      toolsChanged: () => server?.sendToolListChanged(),
    });
  };
  const create = async (context: Parameters<McpServers>[0]) => {
    server = await factory(context);
    return server;
  };
  const inFlight = requestsInFlight();
  const handle = serveStdio(create, {
    transport: withUniqueIds(transport, inFlight, onMessage),
    onerror: (error) => logger.warn({ problem: error.message }, 'client connection error'),
  });
  const ended = new Promise<void>((resolve) => stdin.once('end', resolve));
  const gone = new Promise<void>((resolve) => {
    stdin.once('error', resolve);
    stdin.once('close', () => {
      if (!stdin.readableEnded) resolve();
    });
    for (const event of ['close', 'error']) stdout.once(event, resolve);
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const answered = ended
    .then(() => new Promise<void>((resolve) => messages.write('', () => setImmediate(resolve))))
    .then(() =>
      atMost(
        START_MS,
        inFlight.whenIdle((method) => method !== 'tools/call'),
      ),
    )
    .then(() => atMost(CALL_MS, inFlight.whenIdle()));
  await Promise.race([answered, gone]);
  stdin.unpipe(messages);
  stdin.pause();
  (await lists?.catch(() => undefined))?.();
  await handle.close();
}

function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, sleep(milliseconds, undefined, { ref: false })]);
}
