import type { LoginState } from '@toolwright/connectors';

/** Where the key is that seals tokens. */
export type CredentialKeyPlace = 'environment' | 'keychain' | 'data folder';

/** A link with which a user logs in to a server. */
export interface LoginLink {
  readonly server: string;
  /** The address to open in a browser. It is for this user only. */
  readonly url: string;
  /** Milliseconds since 1970 at which the link ends. */
  readonly expiresAtMs: number;
}

/** The logins of users to servers, see `docs/oauth.md`. */
export interface Logins {
  /**
   * Starts a login of a user, `local` by default. Without `redirectUrl`, this process listens on this machine for the end of
   * the login. Raises `UNKNOWN_SERVER`, `CONFIG_INVALID`, and `UPSTREAM_PROTOCOL` with the cause that prevents a login.
   */
  start(server: string, options?: { readonly userId?: string; readonly redirectUrl?: string }): Promise<LoginLink>;
  /**
   * Finishes a login with the parameters that the browser returned, once. With a `userId`, it must be the user who started the
   * login. Raises `INVALID_ARGUMENTS` for an unknown login, and `UPSTREAM_PROTOCOL`.
   */
  finish(params: URLSearchParams, options?: { readonly userId?: string }): Promise<LoginOwner>;
  /** Returns whose login a callback belongs to; undefined if it is unknown, finished or older than 10 minutes. */
  owner(params: URLSearchParams): Promise<LoginOwner | undefined>;
  /** Logs a user out, and revokes the tokens where the issuer can. Raises `UNKNOWN_SERVER`. */
  logOut(server: string, options?: { readonly userId?: string }): Promise<{ wasIn: boolean; isRevoked: boolean }>;
  /** Returns the state of a user's logins, of the servers that may have some. */
  list(options?: {
    readonly userId?: string;
  }): Promise<readonly { readonly server: string; readonly state: LoginState }[]>;
  /**
   * Sets the address to which browsers return after a login, in place of a listener of this process. The program that serves this
   * address calls {@link finish}.
   */
  useCallback(url: string): void;
  /** Returns where the key is that seals tokens. */
  keyPlace(): Promise<CredentialKeyPlace>;
  /** Calls `listener` when a login was finished, has failed, or ended, in this process. Returns a function that removes it. */
  onChange(listener: (change: LoginChange) => void): () => void;
}

/** A change of a login. */
export interface LoginChange extends LoginOwner {
  readonly event: 'login' | 'logout' | 'failure';
  /** The cause of a failure. */
  readonly error?: unknown;
}

/** The user and the server of a login. */
export interface LoginOwner {
  readonly server: string;
  readonly userId: string;
}
