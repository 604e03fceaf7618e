import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles the parameters of a callback. Resolves to the text of the page that the user sees. */
export type OnCallback = (params: URLSearchParams) => Promise<string>;

/** A listener on this machine to which a browser returns after a login (RFC 8252, section 7.3). */
export interface LoopbackCallback extends Disposable {
  readonly port: number;
  readonly url: string;
}

const PATH = '/callback';

/** Listens on a port of this machine; 0 is a free one. Rejects with the error of the system when the port is taken. */
export async function listenForCallback(port: number, onCallback: OnCallback): Promise<LoopbackCallback> {
  const server = createServer(async ({ url = '', method }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const isCallback = method === 'GET' && pathname === PATH && searchParams.has('state');
    const text = isCallback ? await onCallback(searchParams) : 'There is nothing here.';
    response.writeHead(isCallback ? 200 : 404, PAGE_HEADERS).end(callbackPage(text));
  });
  await listening(server, port);
  // A process that has nothing else to do may end.
  server.unref();
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    url: `http://127.0.0.1:${own}${PATH}`,
    [Symbol.dispose]() {
      server.close();
    },
  };
}

/** Headers of a page after a login: its address has a code, so nothing may store or forward it. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  // An open connection would keep the process alive.
  connection: 'close',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** Returns the page with a text. */
function callbackPage(text: string): string {
  const escaped = text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><title>Toolwright</title><p>${escaped}</p></html>`;
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
