import type { RouterHistory } from '@tanstack/react-router';

/** Receives the events of a stream. */
export interface FollowListener {
  /** The types of events that are received. */
  readonly types: readonly string[];
  readonly onOpen: () => void;
  readonly onEvent: (type: string, data: string, lastEventId: string) => void;
  /** Called when the stream has ended. `connectsAgain`: the platform opens it again by itself. */
  readonly onLost: (connectsAgain: boolean) => void;
}

/** The program that shows the page, and its way to the server: a browser, or a webview of an editor. */
export interface Platform {
  /** The path below which the screens are, with a slash at both ends. */
  readonly basePath: string;
  /** The history of a page without an address. Default: that of the browser. */
  readonly history?: RouterHistory;
  /** Whether all pages of this origin show the same server, and may share one stream. */
  readonly sharesStream: boolean;
  /** Sends a request. The path is relative to the URL of the server. Raises a TypeError without a connection, as `fetch` does. */
  request(path: string, init: RequestInit): Promise<Response>;
  /** Opens a stream of server-sent events. Returns a function that closes it. */
  follow(path: string, listener: FollowListener): () => void;
  /** Lets the person save a text as a file. */
  saveFile(name: string, text: string, type: string): void;
  /** Opens a web page outside of this one. */
  openPage(url: string): void;
  /** Returns a kept text; null without one. */
  read(key: string): string | null;
  /** Keeps a text. */
  write(key: string, text: string): void;
  isDark(): boolean;
  /** Calls a function after each change of {@link isDark}. */
  onColours(listener: () => void): void;
  /** Loads the page again. Default: a failed screen is rendered again. */
  readonly reload?: () => void;
  /** Asks the person for a key outside of the page. Default: the page asks. */
  readonly signIn?: () => void;
  /** Ends the session outside of the page. Default: the page does. */
  readonly signOut?: () => void;
}
