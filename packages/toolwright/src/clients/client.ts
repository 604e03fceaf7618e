/** The facts of a machine that decide where the files of clients are. */
export interface Machine {
  /** Absolute folder of the user. */
  readonly home: string;
  /** Absolute folder of the project. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A server of a client in the form of Toolwright's configuration. */
export interface FoundServer {
  readonly name: string;
  /** An entry of `mcpServers`. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Differences that a person should know: left out keys, variables to set. */
  readonly notes: readonly string[];
}

/** The servers in a file of a client. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Servers that Toolwright cannot run, with the reason. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

/** How a client starts Toolwright. */
export interface OwnServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** The name of Toolwright's entry in the files of clients. */
export const OWN_NAME = 'toolwright';

/** The name of a client, and its files. */
export interface ClientPlaces {
  /** The name for `--from` and `--into`. */
  readonly name: string;
  readonly title: string;
  /** The files of a machine that may have servers, absolute, the one of the user first. Not all of them exist. */
  files(machine: Machine): readonly string[];
}

/** The port of all clients: a program whose configuration has MCP servers. */
export interface Client extends ClientPlaces {
  /** Reads the servers of one of these files. Raises `CONFIG_INVALID` with the place. */
  read(text: string, file: string, machine: Machine): FoundServers;
  /** Removes servers by name, and adds Toolwright in their place. All other text stays. Raises `CONFIG_INVALID`. */
  replace(text: string, file: string, servers: readonly string[], own: OwnServer, machine: Machine): string;
}
