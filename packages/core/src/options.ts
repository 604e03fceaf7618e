import type { AnyServers, Connector, InlineServers } from '@toolwright/connectors';
import type { Sandbox } from '@toolwright/sandbox';
import type { Durability, Store } from '@toolwright/storage';
import type { PinMode } from './catalog/pins/pin.ts';
import type { PolicySettings } from './config/policy/schema.ts';
import type { Limits } from './config/sections/limits.ts';
import type { SamplingSettings } from './config/sections/sampling.ts';
import type { SearchSettings } from './config/sections/search.ts';
import type { WaitSettings } from './config/sections/waits.ts';
import type { OnSampling } from './execution/questions/input-sources.ts';
import type { Plugin } from './plugins/plugin.ts';
import type { PiiExtensions, PiiSettings } from './privacy/privacy.ts';
import type { Logger } from './telemetry/log.ts';

/** The options of `createToolwright`; all are optional. */
export interface ToolwrightOptions<Inputs = AnyServers, Outputs = AnyServers> {
  /** Path of a configuration file; see `docs/configuration.md`. Default: none, and nothing is read from disk. */
  readonly config?: string;
  /** MCP servers, as in the `mcpServers` object of a configuration file; added to those of `config`. */
  readonly mcpServers?: Readonly<Record<string, object>>;
  /** Functions of this program as tools, by server name. TypeScript infers `Inputs` and `Outputs` from their schemas. */
  readonly tools?: InlineServers<Inputs, Outputs>;
  /** Plugins, in addition to those of `config`. */
  readonly plugins?: readonly Plugin[];
  /** Other sources of tools. The Toolwright closes them. */
  readonly connectors?: readonly Connector[];
  /** Name of a sandbox, `auto` (default), or a sandbox object, which the Toolwright closes. */
  readonly sandbox?: string | Sandbox;
  /**
   * Whether the sandbox starts at once, so that a missing one is an error of `createToolwright`. Default: true. With `false`, it starts
   * with the first program: for a process that may run none.
   */
  readonly startSandbox?: boolean;
  /** Limits that differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** `lazy` (default) connects a server when it is first needed, `eager` connects all servers at the start. */
  readonly connect?: 'lazy' | 'eager';
  /** Folder for journals and sessions. Default: `$XDG_STATE_HOME/toolwright` or `~/.local/state/toolwright`. */
  readonly dataDir?: string;
  /** Settings of the redaction of personal data; added to the `pii` object of `config`. */
  readonly pii?: PiiSettings & PiiExtensions;
  /** Rules that allow, ask about or deny tool calls, see `docs/policy.md`. Replaces the `policy` of `config`. */
  readonly policy?: PolicySettings;
  /**
   * Store of the state that processes share: `sqlite` (default), `memory`, a `postgres://` or `redis://` URL, or a store object, which the
   * caller closes.
   */
  readonly store?: string | Store;
  /**
   * Redis of a cluster, whose `store` is a `postgres://` URL: a `redis://` URL. It carries messages between processes. Default: the setting of
   * `config`; without both, each process looks for changes each second.
   */
  readonly redis?: string;
  /**
   * Place of the files of sessions where `store` is a `postgres://` URL: `s3://bucket/prefix`, or a `postgres://` URL. Default: the database
   * of the store.
   */
  readonly blobs?: string;
  /** Whether searches learn from successful tool calls, see `docs/search.md`; over the `search` object of `config`. */
  readonly search?: Partial<SearchSettings>;
  /** What happens to new, changed and suspicious tools, see `docs/pinning.md`. Default: `warn`. */
  readonly pin?: PinMode;
  /** How safe the journals are before each effect; see {@link Durability}. Default: `process`. */
  readonly durability?: Durability;
  /** Whether TypeScript programs are checked before they run. Default: true. */
  readonly check?: boolean;
  /**
   * Days after their last use at which sessions and journals are deleted; 0 keeps them, and deletes only files of killed
   * processes. Default: the setting of `config` or the environment; without both, nothing is deleted.
   */
  readonly retentionDays?: number;
  /**
   * The most bytes that the sessions and executions of one user take on disk. At the limit, executions raise `QUOTA_EXCEEDED` and
   * writes `WORKSPACE_FULL`. Default: no limit. `toolwright serve` sets it to `rateLimits.user.diskBytes`.
   */
  readonly userDiskBytes?: number;
  /** How long programs wait for people and times; over the `waits` of `config`. Raises `CONFIG_INVALID` for unknown names. */
  readonly waits?: Partial<WaitSettings>;
  /**
   * Whether a key in the keychain of the system may seal the tokens of logins to servers. Default: true; a server of many users
   * sets it to false, and the key of the data folder seals them.
   */
  readonly oauthKeychain?: boolean;
  /** The limits of answers of a model to servers; over the `sampling` of `config`. */
  readonly sampling?: Partial<SamplingSettings>;
  /** Answers requests of servers for a model, within the limits of `sampling`. Default: nobody does. */
  readonly onSampling?: OnSampling;
  /** Default: JSON lines on stderr, from level `warn` (`TOOLWRIGHT_LOG`) on. */
  readonly logger?: Logger;
}
