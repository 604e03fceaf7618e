import { type McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { answerOrFail } from './failure.ts';
import type { ContextCaller } from './resources.ts';
import { serverUri } from './uris.ts';

/** Subscriptions of one client. */
const MAX_SUBSCRIPTIONS = 1_000;

/** The subscriptions of one client to resources of servers. */
export interface ClientSubscriptions {
  /** Subscribes at the server. Does nothing for a URI that is subscribed. */
  add(uri: string): Promise<void>;
  remove(uri: string): Promise<void>;
  close(): void;
}

/** Creates the subscriptions of one client. `onUpdate` receives our URI of each updated resource. */
export function clientSubscriptions(
  { open, user }: ContextCaller,
  onUpdate: (uri: string) => void,
): ClientSubscriptions {
  const active = new Map<string, Promise<() => Promise<void>>>();
  const remove = async (uri: string) => {
    const end = active.get(uri);
    active.delete(uri);
    await end?.then((unsubscribe) => unsubscribe()).catch(() => undefined);
  };
  return {
    async add(uri) {
      const own = serverUri(uri);
      if (!own) throw new ResourceNotFoundError(uri);
      if (active.has(uri) || active.size >= MAX_SUBSCRIPTIONS) return;
      const opening = open().then(({ context }) =>
        context.subscribe(own.server, own.uri, () => onUpdate(uri), { userId: user }),
      );
      active.set(uri, opening);
      await opening.catch((error: unknown) => {
        active.delete(uri);
        throw error;
      });
    },
    remove,
    close() {
      for (const uri of [...active.keys()]) void remove(uri);
    },
  };
}

/** Serves subscriptions of the revisions before 2026-07-28, and notifies the client of changed lists. */
export function serveSubscriptions({ server }: McpServer, caller: ContextCaller): void {
  const subscriptions = clientSubscriptions(caller, (uri) => {
    server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  server.setRequestHandler('resources/subscribe', ({ params }) =>
    answerOrFail(async () => {
      await subscriptions.add(params.uri);
      return {};
    }, params.uri),
  );
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    await subscriptions.remove(params.uri);
    return {};
  });
  let stopListening: (() => void) | undefined;
  const { oninitialized } = server;
  server.oninitialized = () => {
    oninitialized?.();
    void caller.open().then(({ context }) => {
      stopListening ??= context.onChanged((list) => {
        const sent = list === 'resources' ? server.sendResourceListChanged() : server.sendPromptListChanged();
        sent.catch(() => undefined);
      });
    });
  };
  const { onclose } = server;
  server.onclose = () => {
    onclose?.();
    stopListening?.();
    subscriptions.close();
  };
}
