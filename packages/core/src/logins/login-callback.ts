import type { CredentialPlace, Credentials } from '@toolwright/connectors/oauth';
import {
  LOGIN_LIFETIME_MS,
  type LoopbackCallback,
  listenForCallback,
  type OAuthContext,
  type OnCallback,
  serverKey,
} from '@toolwright/connectors/oauth';
import { ToolwrightError } from '../errors.ts';

/** The listeners of this process for the ends of logins. */
export interface Loopback extends Disposable {
  /** Returns the address for a login to a server, and listens there for 10 minutes. Raises `CONFIG_INVALID`. */
  urlFor(context: OAuthContext): Promise<string>;
}

/** Creates the listeners of a process. A server keeps its port, because its client was registered with it. */
export function createLoopback(credentials: Credentials, onCallback: OnCallback): Loopback {
  const open = new Map<number, { readonly callback: LoopbackCallback; timer: NodeJS.Timeout }>();

  function keep(callback: LoopbackCallback): string {
    const { port } = callback;
    clearTimeout(open.get(port)?.timer);
    const timer = setTimeout(() => {
      open.delete(port);
      callback[Symbol.dispose]();
    }, LOGIN_LIFETIME_MS);
    timer.unref();
    open.set(port, { callback, timer });
    return callback.url;
  }

  async function bind(port: number): Promise<LoopbackCallback> {
    return open.get(port)?.callback ?? (await listenForCallback(port, onCallback));
  }

  return {
    async urlFor(context) {
      const { server, config } = context;
      const { callbackPort } = typeof config.oauth === 'object' ? config.oauth : {};
      if (callbackPort !== undefined) {
        const busy = `The callback port ${callbackPort} of ${server} is taken. Finish the other login, or change mcpServers.${server}.oauth.callbackPort.`;
        return keep(
          await bind(callbackPort).catch(() => {
            throw new ToolwrightError('CONFIG_INVALID', busy);
          }),
        );
      }
      const place: CredentialPlace = { kind: 'callback', server: serverKey(context), name: 'port' };
      const { port = 0 } = (await credentials.read<{ port: number }>(place)) ?? {};
      // Another process that logs in to this server has its port: this login registers its own client.
      const callback = await bind(port).catch(() => bind(0));
      if (callback.port !== port) await credentials.write(place, { port: callback.port });
      return keep(callback);
    },
    [Symbol.dispose]() {
      for (const { callback, timer } of open.values()) {
        clearTimeout(timer);
        callback[Symbol.dispose]();
      }
      open.clear();
    },
  };
}
