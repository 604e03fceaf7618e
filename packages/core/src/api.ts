import type { Detail, InlineConnectorOptions, ServerConfig, Tool } from '@toolwright/connectors';
import type { PersonalData } from '@toolwright/pii';
import type { LanguageName } from '@toolwright/sandbox';
import type { ProfileOptions } from './catalog/profiles/profile.ts';
import type { SearchAnswer } from './catalog/search/answer/answer.ts';
import type { DetailLevel } from './catalog/search/answer/detail-level.ts';
import type { ServerSummary } from './catalog/user-catalog.ts';
import type { PolicyConfig, PolicySettings } from './config/policy/schema.ts';
import type { Limits } from './config/sections/limits.ts';
import type { CheckResult } from './execution/check/check.ts';
import type { Executions } from './execution/executions.ts';
import type { LastingDecisionList } from './execution/lasting-decisions/lasting-decisions.ts';
import type { InstalledPackages } from './execution/packages/packages.ts';
import type { ExecuteOptions } from './execution/request.ts';
import type { ExecutionResult } from './history/result.ts';
import type { Logins } from './logins/login.ts';
import type { PluginPage } from './plugins/page.ts';
import type { ServerContextApi } from './servers/server-context.ts';
import type { ToolPins } from './servers/tool-pins.ts';
import type { Sessions } from './sessions/session.ts';
import type { SkillLibrary } from './skills/skill.ts';
import type { Health, HealthOptions } from './telemetry/health/health.ts';
import type { Explanation } from './tool-calls/policy/explain.ts';
import type { ReadableFiles } from './workspaces/files.ts';

/** A server to add: an entry as in `mcpServers` of a configuration file, or the tools of an inline server. */
export type ServerEntry = ServerConfig | InlineConnectorOptions | Readonly<Record<string, unknown>>;

/** A profile of the configuration. */
export interface ProfileSummary {
  readonly name: string;
  /** Why nobody can use it, and the fix. */
  readonly problem?: string;
}

/** The changes of {@link Toolwright.reload}. */
export interface ReloadReport {
  /** Names of servers. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Paths of changed settings that count after a restart: `limits.timeoutMs`. */
  readonly needsRestart: readonly string[];
}

/** The options of a search. */
export interface SearchOptions {
  /** Searches the tools of this server only. Default: all servers. */
  readonly server?: string;
  /**
   * Searches the servers of a category only: a server, or a word in the names or descriptions of servers. `skills` finds skills only.
   * Default: all.
   */
  readonly category?: string;
  /** How much of each hit the answer shows. Default: `summary`. */
  readonly detailLevel?: DetailLevel;
  /** Hits per query. Default: 5, at most 50. */
  readonly limit?: number;
  /** Language of the signatures. Default: `typescript`. */
  readonly language?: LanguageName;
  /** User whose skills are searched too, and whose inferred result types are shown. Default: `local`. */
  readonly userId?: string;
  /** See {@link ProfileOptions}. */
  readonly profile?: string | undefined;
}

/** The call whose decision is explained. */
export interface ExplainOptions extends ProfileOptions {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Default: `local`. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The request of the user, for a policy that depends on the origins of arguments. Default: unknown. */
  readonly request?: string | undefined;
  /** Settings that are tested. Default: those of this Toolwright. */
  readonly policy?: PolicySettings | undefined;
}

/** The options of a check. */
export interface CheckOptions extends ProfileOptions {
  /** Default: the language that the text is written in. */
  readonly language?: LanguageName | undefined;
  readonly sessionId?: string | undefined;
  /** Default: `local`. */
  readonly userId?: string | undefined;
  /** Whether the author of the program may have seen public data. */
  readonly hasSeenPublicData?: boolean | undefined;
}

/** Runs and checks programs. */
export interface ProgramRuns {
  /**
   * Runs a program. Resolves for every error of the program and its tools: read `status`. Rejects only with `CONFIG_INVALID`
   * (options or data folder), `UNKNOWN_SESSION`, `SANDBOX_UNAVAILABLE`, `CLOSED`, and without the approval of `approved` with
   * `NOT_APPROVED` and `UNKNOWN_EXECUTION`. `T` is the expected type of the value;
   * it is not checked.
   */
  execute<T = unknown>(source: string, options?: ExecuteOptions): Promise<ExecutionResult<T>>;
  /**
   * Finds mistakes in a program without running it: calls of unknown tools, wrong arguments, undeclared names, a missing
   * `await`. Python programs are not checked. Also returns how the policy would decide its calls. Rejects like {@link execute}.
   */
  check(source: string, options?: CheckOptions): Promise<CheckResult>;
  /**
   * Returns the sandbox of a language, and why it was chosen. Without a language: the sandbox of the first language that the
   * configured one runs. Raises `SANDBOX_UNAVAILABLE`.
   */
  sandbox(
    language?: LanguageName,
  ): Promise<{ readonly name: string; readonly isolation: string; readonly reason: string; readonly warning?: string }>;
}

/** Finds and describes tools. */
export interface ToolLookup {
  /**
   * Finds tools, and skills of the user, by description. Accepts several queries at once. `text` of the answer is for a
   * model, at most 1,500 tokens. Raises `UNKNOWN_SERVER`, and `INVALID_ARGUMENTS` for an unknown `detailLevel`.
   */
  search(query: string | readonly string[], options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Describes one tool: a one-line `signature`, a shorter `call`, full `docs` as a declaration (default), or the raw `schema`. `language`
   * defaults to `typescript`, `userId` to `local`: inferred result types come from the results of this user. With a `category`, `tool` may
   * be the tool's own name there. Raises `UNKNOWN_TOOL`, and `UNKNOWN_SERVER` for an unknown category.
   */
  describe(
    tool: string,
    detail?: Detail,
    options?: ProfileOptions & { language?: LanguageName; userId?: string; category?: string },
  ): Promise<string>;
  /**
   * Returns how the policy decides a call of a tool, and why. Sends nothing. Without `arguments`: for any arguments. `policy` tests
   * other settings. Raises `UNKNOWN_TOOL`, and `CONFIG_INVALID` for a wrong policy.
   */
  explain(tool: string, options?: ExplainOptions): Promise<Explanation>;
  /** Returns all known tools, by id. Waits `waitMs` (default 2,000) at most for servers that have not listed their tools. */
  tools(options?: ProfileOptions & { waitMs?: number }): Promise<readonly Tool[]>;
  /** Returns the tools that clients of the MCP server call directly: see the settings `direct` and `callers`. */
  directTools(options?: ProfileOptions & { waitMs?: number }): Promise<readonly Tool[]>;
  /** Calls `listener` when the tools may have changed. Returns a function that removes it. */
  onToolsChanged(listener: () => void): () => void;
  /**
   * Returns `/servers` as programs of a language and a user (default: `local`) see it: importable modules, with declarations and one file per tool. Paths
   * start with `/servers`; errors are `FILE_ERROR`.
   */
  serverFiles(language?: LanguageName, userId?: string, options?: ProfileOptions): ReadableFiles;
  /** Returns the servers and their state. With `load`, waits until each has listed its tools or failed, `waitMs` at most. */
  servers(options?: ProfileOptions & { load?: boolean; waitMs?: number }): Promise<readonly ServerSummary[]>;
  /** Returns the profiles of the configuration, also wrong ones with their problem. */
  profiles(): readonly ProfileSummary[];
}

/** Adds, removes and exchanges servers while programs run. */
export interface ServerChanges {
  /**
   * Adds a server: an entry as in `mcpServers` of the configuration, or inline tools as in `tools` of `createToolwright`.
   * Connects it and lists its tools; programs that run already can call them. Raises `CONFIG_INVALID` for a wrong entry and a
   * taken name, and `UPSTREAM_UNAVAILABLE` if the server does not list its tools: nothing is added then.
   */
  addServer(name: string, config: ServerEntry): Promise<ServerSummary>;
  /**
   * Puts another entry in place of that of a server. Programs that run already use the new one for their next call; running
   * calls have 10 s to end. Raises `UNKNOWN_SERVER`, `CONFIG_INVALID` for a wrong entry, and `UPSTREAM_UNAVAILABLE` if the server
   * does not list its tools with the new entry: nothing is changed then.
   */
  replaceServer(name: string, config: ServerEntry): Promise<ServerSummary>;
  /**
   * Removes a server. Its tools are unknown at once. Running calls have `waitMs` (default 10,000) to end; then they fail with
   * `CLOSED`. Raises `UNKNOWN_SERVER`.
   */
  removeServer(name: string, options?: { readonly waitMs?: number }): Promise<void>;
  /**
   * Reads the configuration file again: adds, removes and exchanges its servers, and names other settings that changed. Running
   * programs go on, and running calls have 10 s to end. Raises `CONFIG_INVALID` for an invalid file, and without one: nothing
   * is changed then.
   */
  reload(): Promise<ReloadReport>;
}

/** Tools to search, and a sandbox for programs that call them. */
export interface Toolwright extends AsyncDisposable, ProgramRuns, ToolLookup, ServerChanges {
  /** The policy that decides tool calls, with its defaults. A change in the configuration file counts after a restart. */
  readonly policy: PolicyConfig;
  /** Whether the settings `direct` and `callers` let clients of the MCP server call tools directly. */
  readonly hasDirectTools: boolean;
  /** The pages of the plugins. */
  readonly pages: readonly PluginPage[];
  /** Returns the names of the headers of clients, in lower case, that a server needs: see `clientHeaders` of {@link ExecuteOptions}. */
  clientHeaders(): readonly string[];
  /** The profile of `inProfile`. Undefined for a Toolwright whose callers choose one. */
  readonly profile?: string | undefined;
  /** The logins of users to servers that require them. */
  readonly logins: Logins;
  /** The approvals of persons that last, by user. */
  readonly lastingDecisions: LastingDecisionList;
  /** Resources and prompts of servers. */
  readonly context: ServerContextApi;
  /** The accepted definitions of tools, and the tools in quarantine. */
  readonly pins: ToolPins;
  /** The packages that programs can import, and the reason for which configured ones are not available. */
  readonly packages: InstalledPackages;
  /** The default limits of an execution. */
  readonly limits: Limits;
  /** The executions of this data folder, also those of other interfaces and processes, and interrupted ones. */
  readonly executions: Executions;
  /** Sessions: files and a log that stay from execution to execution. */
  readonly sessions: Sessions;
  /** Redacts and restores personal data for the embedding program. Programs and models receive redacted data in any case. */
  readonly pii: PersonalData;
  /** Returns the skills of a user, `local` by default. Skills of other users are unknown. */
  skills(userId?: string): SkillLibrary;
  /** Returns whether executions can work now, and which files of the data folder were damaged. It does not reject. */
  health(options?: HealthOptions): Promise<Health>;
  /**
   * Cancels running executions, and closes all servers and sandboxes. `await using` does the same at the end of its block. With `handOver`,
   * running executions are not cancelled: this process gives up its lease, and another one can continue them from their journals at once.
   * Their callers here get `OWNERSHIP_LOST`. Default: false.
   */
  close(options?: { readonly handOver?: boolean }): Promise<void>;
}
