// Messages between the dashboard in a webview and its host, which sends the requests of the page.

/** A request below the URL of the server. */
export interface RequestMessage {
  readonly is: 'request';
  readonly id: number;
  readonly method: string;
  /** Relative to the URL of the server, such as `executions?limit=10`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | ArrayBuffer | undefined;
}

/** Opens a stream of server-sent events. */
export interface FollowMessage {
  readonly is: 'follow';
  readonly id: number;
  readonly path: string;
}

/** Ends a request or a stream. */
export interface CancelMessage {
  readonly is: 'cancel';
  readonly id: number;
}

/** Asks the person for a place, and saves a file of the server there. */
export interface DownloadMessage {
  readonly is: 'download';
  readonly path: string;
  readonly name: string;
}

/** Asks the person for a place, and saves a text there. */
export interface SaveMessage {
  readonly is: 'save';
  readonly name: string;
  readonly text: string;
}

/** Opens a web page in the browser of the person. */
export interface OpenMessage {
  readonly is: 'open';
  readonly url: string;
}

/** The page is loaded. It knows nothing of the requests before. */
export interface ReadyMessage {
  readonly is: 'ready';
}

/** The person wants to sign in or out. */
export interface AccountMessage {
  readonly is: 'signIn' | 'signOut';
}

/** A message of the page. `ready` comes first. */
export type PageMessage =
  | ReadyMessage
  | AccountMessage
  | RequestMessage
  | FollowMessage
  | CancelMessage
  | DownloadMessage
  | SaveMessage
  | OpenMessage;

/** A message of the host. `id` is that of the request or the stream. */
export type HostMessage =
  | {
      readonly is: 'response';
      readonly id: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: ArrayBuffer;
    }
  /** The server was not reached, or the host refuses the request. */
  | { readonly is: 'failed'; readonly id: number; readonly reason: string }
  | { readonly is: 'opened' | 'closed'; readonly id: number }
  | {
      readonly is: 'event';
      readonly id: number;
      readonly type: string;
      readonly data: string;
      readonly lastEventId: string;
    }
  /** Shows another screen, such as `/ui/approvals`. */
  | { readonly is: 'navigate'; readonly path: string };
