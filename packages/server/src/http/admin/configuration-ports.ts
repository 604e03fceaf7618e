/** An entry of `mcpServers`. */
export type ConfigEntry = Readonly<Record<string, unknown>>;

/** The configuration file, which the routes change only when a request asks for it. */
export interface ConfigurationFile {
  /** Adds a server to the file. Raises `CONFIG_INVALID`. */
  add(name: string, entry: ConfigEntry): Promise<void>;
  /** Puts another entry in place of that of a server. Raises `CONFIG_INVALID` if the file does not have the server. */
  change(name: string, entry: ConfigEntry): Promise<void>;
  /** Removes a server from the file, if it has the server. Raises `CONFIG_INVALID`. */
  remove(name: string): Promise<void>;
  /** Returns the entry of a server with hidden secrets; undefined if the file does not have the server. Raises `CONFIG_INVALID`. */
  entry(name: string): Promise<ConfigEntry | undefined>;
  /**
   * Returns an entry with the secrets of the file in place of the hidden ones. Raises `CONFIG_INVALID` for a hidden value
   * without a secret.
   */
  complete(name: string, entry: ConfigEntry): Promise<ConfigEntry>;
}

/** The servers in the configurations of other clients on this machine. */
export interface ClientServers {
  /** Finds them. Their entries have hidden secrets. */
  find(): Promise<{
    readonly servers: readonly {
      readonly name: string;
      /** The title of the client. */
      readonly client: string;
      /** The file of the client. */
      readonly path: string;
      readonly entry: ConfigEntry;
      /** Differences that a person should know. */
      readonly notes: readonly string[];
    }[];
    /** Servers that Toolwright cannot run. */
    readonly left: readonly { readonly name: string; readonly path: string; readonly reason: string }[];
    readonly unreadable: readonly { readonly path: string; readonly problem: string }[];
  }>;
  /** Returns the whole entry of a server that `find` returns; otherwise undefined. */
  entry(path: string, name: string): Promise<ConfigEntry | undefined>;
}
