import { createMemoryHistory } from '@tanstack/react-router';
import type { HostMessage, PageMessage } from './messages.ts';
import type { FollowListener, Platform } from './platform.ts';

/** The functions that VS Code adds to a webview. */
export interface WebviewApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: WebviewState): void;
}

/** The editor keeps it while the page is hidden, and over restarts. */
interface WebviewState {
  /** The screen. */
  readonly path?: string;
  readonly kept?: Readonly<Record<string, string>>;
}

/** Receives the messages about one request or stream. */
type Receiver = (message: Exclude<HostMessage, { readonly is: 'navigate' }>) => void;

const FIRST_PATH = '/ui/executions';
const DARK_KINDS: ReadonlySet<string | undefined> = new Set(['vscode-dark', 'vscode-high-contrast']);
const KIND_ATTRIBUTE = 'data-vscode-theme-kind';

/** Returns the platform of a webview. The host of the webview has the credential, and sends the requests. */
export function webviewPlatform(api: WebviewApi): Platform {
  const receivers = new Map<number, Receiver>();
  let lastId = 0;
  const start = (receiver: Receiver): number => {
    lastId += 1;
    receivers.set(lastId, receiver);
    return lastId;
  };
  let state = (api.getState() ?? {}) as WebviewState;
  const keep = (change: WebviewState) => {
    state = { ...state, ...change };
    api.setState(state);
  };
  const chosen = document.querySelector<HTMLMetaElement>('meta[name="toolwright-path"]')?.content;
  const history = createMemoryHistory({ initialEntries: [state.path ?? chosen ?? FIRST_PATH] });
  history.subscribe(({ location }) => keep({ path: location.href }));
  addEventListener('message', ({ data, origin }: MessageEvent<HostMessage>) => {
    if (origin !== self.origin) return;
    if (data.is === 'navigate') history.push(data.path);
    else receivers.get(data.id)?.(data);
  });
  for (const type of ['click', 'auxclick'] as const) document.addEventListener(type, (event) => followLink(event, api));
  api.postMessage({ is: 'ready' });
  const cancel = (id: number) => {
    if (receivers.delete(id)) api.postMessage({ is: 'cancel', id });
  };
  return {
    basePath: '/',
    history,
    // Another webview may show another server.
    sharesStream: false,
    request: (path, init) => request(path, init, { api, start, cancel, end: (id) => receivers.delete(id) }),
    follow(path, listener) {
      const id = start((message) => {
        if (message.is === 'closed' || message.is === 'failed') receivers.delete(id);
        passEvent(message, listener);
      });
      api.postMessage({ is: 'follow', id, path });
      return () => cancel(id);
    },
    saveFile: (name, text) => api.postMessage({ is: 'save', name, text }),
    openPage: (url) => api.postMessage({ is: 'open', url }),
    read: (key) => state.kept?.[key] ?? null,
    write: (key, text) => keep({ kept: { ...state.kept, [key]: text } }),
    isDark: () => DARK_KINDS.has(document.body.dataset.vscodeThemeKind),
    onColours: (listener) =>
      new MutationObserver(listener).observe(document.body, { attributes: true, attributeFilter: [KIND_ATTRIBUTE] }),
    signIn: () => api.postMessage({ is: 'signIn' }),
    signOut: () => api.postMessage({ is: 'signOut' }),
  };
}

function passEvent(message: Parameters<Receiver>[0], { types, onOpen, onEvent, onLost }: FollowListener): void {
  if (message.is === 'opened') onOpen();
  else if (message.is === 'closed' || message.is === 'failed') onLost(false);
  else if (message.is === 'event' && types.includes(message.type))
    onEvent(message.type, message.data, message.lastEventId);
}

interface Sending {
  readonly api: WebviewApi;
  readonly start: (receiver: Receiver) => number;
  readonly cancel: (id: number) => void;
  readonly end: (id: number) => void;
}

async function request(path: string, init: RequestInit, { api, start, cancel, end }: Sending): Promise<Response> {
  const { method = 'GET', signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  const body = init.body instanceof Blob ? await init.body.arrayBuffer() : init.body;
  if (body !== null && body !== undefined && typeof body !== 'string' && !(body instanceof ArrayBuffer))
    throw new Error('A request of a webview has a text or a file as its body.');
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const id = start((message) => {
      end(id);
      signal?.removeEventListener('abort', abort);
      if (message.is === 'response') resolve(responseOf(message));
      else reject(new TypeError(message.is === 'failed' ? message.reason : 'The host sent no response.'));
    });
    const abort = () => {
      cancel(id);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    api.postMessage({ is: 'request', id, method, path, headers, body: body == null ? undefined : body });
  });
}

function responseOf({ status, headers, body }: Extract<HostMessage, { readonly is: 'response' }>): Response {
  return new Response(body.byteLength === 0 ? null : body, { status, headers });
}

/**
 * Keeps links of the page away from the editor, which opens each link outside, also one that the router has followed.
 * Links to other pages stay with the editor.
 */
function followLink(event: MouseEvent, api: WebviewApi): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const target = link?.getAttribute('href');
  if (!link || target === null || target === undefined || !/^\/(?!\/)/.test(target)) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.hasAttribute('download')) api.postMessage({ is: 'download', path: target.slice(1), name: link.download });
}
