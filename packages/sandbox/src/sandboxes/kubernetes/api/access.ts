/** The address of an API server, and the credentials for it. */
export interface ClusterAccess {
  readonly server: URL;
  /** Where the address and the credentials are from, for people. */
  readonly source: string;
  readonly tls: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
  };
  /** Returns the token of now: it may change at any time. `undefined` if a client certificate is the credential. */
  token(): Promise<string | undefined>;
}
