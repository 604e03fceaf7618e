import { join, resolve } from 'node:path';
import type { PersonalData, SessionRef } from '@toolwright/pii';
import {
  type Checker,
  type Language,
  type LanguageName,
  openSandboxes,
  pythonLanguage,
  type Sandbox,
  typescriptLanguage,
} from '@toolwright/sandbox';
import { typescriptChecker } from '@toolwright/sandbox/internal';
import { createCatalog, type ServerSummary } from './catalog/catalog.ts';
import { openObservations } from './catalog/inferred-types/store.ts';
import type { SearchAnswer } from './catalog/search/answer.ts';
import { serverFiles } from './catalog/server-files.ts';
import type { Detail, Tool } from './catalog/tool.ts';
import { loadConfig, parseConfig, type ToolwrightConfig } from './config/config.ts';
import type { Plugin } from './config/plugin.ts';
import { openPlugins } from './config/plugins.ts';
import type { Connector } from './connectors/connector.ts';
import type { AnyServers } from './connectors/inline/tool-types.ts';
import { type InlineServers, inlineConnector } from './connectors/inline.ts';
import { mcpConnector } from './connectors/mcp.ts';
import type { ServerConfig } from './connectors/server-config.ts';
import { ToolwrightError } from './errors.ts';
import { type CheckResult, checkSource } from './execution/check.ts';
import { type ExecutionContext, type ExecutionSettings, execute } from './execution/execute.ts';
import { checkLimits, type Limits } from './execution/limits.ts';
import type { ExecutionResult } from './execution/result.ts';
import { checkOptionNames } from './options.ts';
import { checkServers, openPrivacy, type PiiExtensions, type PiiSettings } from './privacy.ts';
import { purgeExpired } from './retention/purge.ts';
import type { Session } from './sessions/record.ts';
import { createSessionStore, DEFAULT_USER, type Sessions } from './sessions/sessions.ts';
import { searchableSkillsOf } from './skills/guest-operations.ts';
import { createSkillLibraries } from './skills/library.ts';
import { saveExecution } from './skills/replay/save-execution.ts';
import type { SkillLibrary } from './skills/skill.ts';
import type { Store } from './stores/store.ts';
import { type Logger, stderrLogger } from './telemetry/log.ts';
import type { ReadableFiles } from './workspaces/files.ts';

export interface ToolwrightOptions<Inputs = AnyServers, Outputs = AnyServers> {
  /** Path of a configuration file; see `docs/configuration.md`. Without it nothing is read from disk. */
  readonly config?: string;
  /** Upstreams, as in the `mcpServers` object of a configuration file; added to those of `config`. */
  readonly mcpServers?: Readonly<Record<string, object>>;
  /** Functions of this program as tools, by server name. TypeScript infers `Inputs` and `Outputs` from their schemas. */
  readonly tools?: InlineServers<Inputs, Outputs>;
  /** Plugins, beside those that `config` names or has an object for. */
  readonly plugins?: readonly Plugin[];
  /** Any other source of tools. They are closed together with the Toolwright. */
  readonly connectors?: readonly Connector[];
  /** Name of a sandbox, `auto` (default), or a sandbox of your own, which is closed together with the Toolwright. */
  readonly sandbox?: string | Sandbox;
  /** Limits that differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** `lazy` (default) connects an upstream when it is first needed, `eager` all at once. */
  readonly connect?: 'lazy' | 'eager';
  /** Folder for ledgers and sessions; default `$XDG_STATE_HOME/toolwright` or `~/.local/state/toolwright`. */
  readonly dataDir?: string;
  /** How personal data is protected; added to the `pii` object of `config`. */
  readonly pii?: PiiSettings & PiiExtensions;
  /** Where state is kept that processes share: `sqlite` (default), `memory`, a `redis://` URL, or a store of your own. */
  readonly store?: string | Store;
  /** Whether TypeScript programs are checked before they run; yes by default. */
  readonly check?: boolean;
  /** Default: JSON lines on stderr from level `warn` (`TOOLWRIGHT_LOG`) on. */
  readonly logger?: Logger;
}

/** What may be set for one execution; everything is optional. */
export interface ExecuteOptions extends Omit<ExecutionSettings, 'limits'> {
  /** `typescript`, the default, takes JavaScript too. */
  readonly language?: LanguageName;
  /** Limits that differ from those of the Toolwright. */
  readonly limits?: Partial<Limits>;
  /** Name of the sandbox to run in; never replaced by another. Only where the Toolwright's own is `auto`, or the same. */
  readonly sandbox?: string;
}

/** Tools to search, and a sandbox for programs that call them. */
export interface Toolwright extends AsyncDisposable {
  /**
   * Runs a program. Resolves for all that can go wrong in it: read `status`. Rejects only with `CONFIG_INVALID` (limits,
   * language, data folder), `UNKNOWN_SESSION`, `SANDBOX_UNAVAILABLE` (none for the language) and `CLOSED`.
   */
  execute(source: string, options?: ExecuteOptions): Promise<ExecutionResult>;
  /**
   * Looks for mistakes in a program without running it: calls of tools that do not exist, wrong arguments, undeclared
   * names, a missing `await`. Python programs are not checked. Rejects like {@link execute}.
   */
  check(source: string, options?: Pick<ExecuteOptions, 'language' | 'session' | 'user'>): Promise<CheckResult>;
  /**
   * Finds tools, and skills of the user (`local` by default), by what they do. Several queries are answered in one go. `limit` is per query, default 5, at most 50.
   * `text` is the answer for a model, at most 1,500 tokens, in `language` (TypeScript by default). Raises `UNKNOWN_SERVER`.
   */
  search(
    query: string | readonly string[],
    options?: { server?: string; limit?: number; language?: Language['name']; user?: string },
  ): Promise<SearchAnswer>;
  /**
   * Describes one tool: a one-line `signature`, full `docs` as a declaration (default), or the raw `schema`. TypeScript, unless
   * `language` says otherwise. Raises `UNKNOWN_TOOL`.
   */
  describe(tool: string, detail?: Detail, options?: { language?: Language['name'] }): Promise<string>;
  /** All tools that are known, by id. Waits for upstreams that have not listed theirs, but no longer than `waitMs` (2,000). */
  tools(options?: { waitMs?: number }): Promise<readonly Tool[]>;
  /**
   * `/servers` as programs of a language see it: what they can import, with declarations and one file for each tool. Paths
   * begin with `/servers`; errors are `FILE_ERROR`.
   */
  serverFiles(language?: LanguageName): ReadableFiles;
  /** The upstreams and how they stand. With `load`, waits until each has listed its tools, failed, or `waitMs` are over. */
  servers(options?: { load?: boolean; waitMs?: number }): Promise<readonly ServerSummary[]>;
  /** What an execution may use up when it does not say otherwise. */
  readonly limits: Limits;
  /** Sessions: what stays from execution to execution. */
  readonly sessions: Sessions;
  /** The sandbox that runs a language, and why it was taken. Raises `SANDBOX_UNAVAILABLE` where none does. */
  sandbox(
    language?: LanguageName,
  ): Promise<{ readonly name: string; readonly isolation: string; readonly reason: string }>;
  /** Personal data, for the program around: models and tools are served by themselves. */
  readonly pii: PersonalData;
  /** The skills of a user, `local` by default. Another user's are the same as none. */
  skills(user?: string): SkillLibrary;
  /**
   * Ends every upstream and sandbox that this Toolwright started; what still runs is cancelled. The same as leaving an
   * `await using` block.
   */
  close(): Promise<void>;
}

/**
 * Makes a Toolwright. Nothing is connected before it is needed, unless `connect` is `eager`. Raises `CONFIG_INVALID` for
 * a bad configuration, with every problem named, and `SANDBOX_UNAVAILABLE`.
 *
 * ```ts
 * await using toolwright = await createToolwright({ config: 'toolwright.json' });
 * const result = await toolwright.execute('return (await search_tools("read a file")).length');
 * ```
 */
export function createToolwright<Inputs = AnyServers, Outputs = AnyServers>(
  options?: ToolwrightOptions<Inputs, Outputs>,
): Promise<Toolwright>;
export async function createToolwright(options: ToolwrightOptions = {}): Promise<Toolwright> {
  checkOptionNames('createToolwright', options);
  const logger = options.logger ?? stderrLogger();
  const own = parseConfig({ mcpServers: options.mcpServers ?? {} }, {});
  const config = options.config === undefined ? own : loadConfig({ path: options.config });
  const limits = checkLimits({ ...config.limits, ...options.limits });
  const dataDir = resolve(options.dataDir ?? config.dataDir);
  const servers = config === own ? own.servers : new Map([...config.servers, ...own.servers]);
  const connectors = await makeConnectors(options, servers, config, logger);
  const piiSettings = { ...config.pii, ...options.pii };
  checkServers(
    piiSettings,
    connectors.map(({ name }) => name),
  );
  const { redactors, ...privacy } = openPrivacy({
    settings: piiSettings,
    extensions: options.pii ?? {},
    store: options.store ?? config.store,
    dataDir,
  });
  const sandboxes = openSandboxes({
    sandbox: options.sandbox ?? config.sandbox,
    memoryBytes: limits.memoryBytes,
    settings: { docker: config.docker },
    onChoice: (guest, { sandbox, reason }) => logger.info({ guest, sandbox: sandbox.name, reason }, 'sandbox chosen'),
  });
  await sandboxes.for(sandboxes.primary);
  const observations = openObservations(join(dataDir, 'observed'));
  const catalog = createCatalog({ connectors, observations, log: logger });
  const languages: Readonly<Record<LanguageName, Language>> = {
    typescript: typescriptLanguage(),
    python: pythonLanguage(),
  };
  const languageOf = (name: string): Language => {
    const language = Object.hasOwn(languages, name) ? languages[name as LanguageName] : undefined;
    if (language) return language;
    const message = `There is no language "${name}". This version runs: ${Object.keys(languages).join(', ')}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  };
  const forgetSession = ({ id, user }: Session) => redactors.destroy({ user, session: id });
  const { sessions, enter, isNew } = createSessionStore({
    dataDir,
    quota: limits,
    customer: config.customer,
    onRemove: forgetSession,
  });
  /** The guard of a session that is there and the user's, or of what has no session. */
  const redactorFor = async ({ user = DEFAULT_USER, session }: SessionRef = {}) => {
    const known = session === undefined ? undefined : await sessions.get(session, { user });
    return redactors.of({ user, session: known?.id }, known !== undefined && (await isNew(known.id)));
  };
  /** What a program was given after its session was removed must not outlive it. */
  const forgetIfRemoved = async ({ user = DEFAULT_USER, session }: SessionRef) => {
    if (session === undefined) return;
    const gone = await sessions.get(session, { user }).then(
      () => false,
      (error: unknown) => error instanceof ToolwrightError && error.code === 'UNKNOWN_SESSION',
    );
    if (gone) await redactors.destroy({ user, session });
  };
  const skills = createSkillLibraries(dataDir, Object.values(languages));
  const checkers: Partial<Record<LanguageName, Checker>> = { typescript: typescriptChecker() };
  const isChecked = options.check ?? config.check;
  const purging = new AbortController();
  const { retentionDays } = config;
  void purgeExpired({ dataDir, retentionDays, onRemove: forgetSession, signal: purging.signal }).then(
    (purged) => logger.debug(purged, 'expired data purged'),
    (error: unknown) => logger.warn({ err: error }, 'expired data could not be purged'),
  );
  if ((options.connect ?? config.connect) === 'eager') void catalog.load();

  let closing: Promise<void> | undefined;
  const works = new Map<AbortController, Promise<unknown>>();
  const close = () => {
    // Executions end first, so that each is told as cancelled and its ledger has an end.
    for (const ending of works.keys()) ending.abort();
    purging.abort();
    closing ??= Promise.all([
      sandboxes[Symbol.asyncDispose](),
      catalog[Symbol.asyncDispose](),
      ...Object.values(checkers).map((checker) => checker[Symbol.asyncDispose]()),
      Promise.allSettled(works.values()),
    ]).then(() => privacy[Symbol.asyncDispose]());
    return closing;
  };
  /** Begins what is cancelled by its caller's signal, and when this Toolwright is closed. */
  const running = <T>(signal: AbortSignal | undefined, begin: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ending = new AbortController();
    const cancel = () => ending.abort();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const work = begin(ending.signal);
    works.set(ending, work);
    return work.finally(() => {
      works.delete(ending);
      signal?.removeEventListener('abort', cancel);
    });
  };
  const onDefect = (id: string, error: unknown) => logger.error({ id, err: error }, 'internal error');
  const checkContext = (wanted: string) => {
    if (closing) throw new ToolwrightError('CLOSED', 'This Toolwright is closed. Make a new one.');
    const language = languageOf(String(wanted));
    return {
      catalog,
      language,
      checker: checkers[language.name],
      sessions: { enter },
      redactorOf: redactors.of,
      skills,
      dataDir,
      onDefect,
    };
  };
  const contextFor = async (wanted: string, named?: string): Promise<ExecutionContext> => {
    const context = checkContext(wanted);
    const { sandbox, reason } = await sandboxes.for(context.language.guest, named);
    return { ...context, sandbox, sandboxReason: reason };
  };
  return {
    limits,
    sessions,
    async sandbox(wanted = 'typescript') {
      const { sandbox, reason } = await sandboxes.for(languageOf(wanted).guest);
      return { name: sandbox.name, isolation: sandbox.isolation, reason };
    },
    async check(source, { language: wanted = 'typescript', ...sessionRef } = {}) {
      requireText(source, 'check');
      return checkSource(source, checkContext(wanted), { limits, ...sessionRef });
    },
    async execute(source, options = {}) {
      const { language: wanted = 'typescript', limits: changed, sandbox: named, ...settings } = options;
      requireText(source, 'execute');
      checkOptionNames('execute', options);
      const context = await contextFor(wanted, named);
      const all = changed ? checkLimits({ ...limits, ...changed }) : limits;
      return running(settings.signal, async (signal) => {
        const result = await execute(source, context, { check: isChecked, ...settings, signal, limits: all });
        await forgetIfRemoved(settings);
        return result;
      });
    },
    async search(query, { user = DEFAULT_USER, ...searchOptions } = {}) {
      const searchableSkills = searchableSkillsOf(await skills(user).list(), searchOptions.language ?? 'typescript');
      return catalog.search(queriesOf(query), { ...searchOptions, searchableSkills });
    },
    describe: (tool, detail = 'docs', { language } = {}) => catalog.describe(tool, detail, language),
    tools: ({ waitMs } = {}) => catalog.list('', waitMs),
    serverFiles: (language = 'typescript') => serverFiles(catalog, languageOf(language).name),
    async servers({ load = false, waitMs } = {}) {
      if (load) await catalog.load(waitMs === undefined ? {} : { waitMs });
      return catalog.servers();
    },
    pii: {
      async redact(value, { detect = true, ...sessionRef } = {}) {
        const redactor = await redactorFor(sessionRef);
        return detect ? redactor.redact(value) : redactor.redactKnown(value);
      },
      restore: async (value, { reader = 'user', ...sessionRef } = {}) =>
        (await redactorFor(sessionRef)).restoreFor(value, reader),
      redactStream: async (sessionRef) => (await redactorFor(sessionRef)).redactStream(),
      restoreStream: async ({ reader = 'user', ...sessionRef } = {}) =>
        (await redactorFor(sessionRef)).restoreStreamFor(reader),
      rotate: redactors.rotate,
      async forget(value, { user = DEFAULT_USER, session } = {}) {
        if (session !== undefined) await sessions.get(session, { user });
        return redactors.forget(value, { user, session });
      },
    },
    skills(user = DEFAULT_USER) {
      const { list, load, save, remove } = skills(user);
      return {
        list,
        load,
        save,
        remove,
        saveExecution: (id, draft) =>
          running(undefined, (signal) => saveExecution(id, draft, { user, limits, signal, contextFor, dataDir })),
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function queriesOf(query: unknown): readonly string[] {
  const queries = typeof query === 'string' ? [query] : query;
  if (Array.isArray(queries) && queries.every((text) => typeof text === 'string')) return queries;
  throw new ToolwrightError('CONFIG_INVALID', 'search takes a text, or a list of texts.');
}

function requireText(source: unknown, method: string): void {
  if (typeof source === 'string') return;
  throw new ToolwrightError('CONFIG_INVALID', `${method} takes a program as text.`);
}

async function makeConnectors(
  options: ToolwrightOptions,
  servers: ReadonlyMap<string, ServerConfig>,
  config: ToolwrightConfig,
  logger: Logger,
): Promise<Connector[]> {
  const connectors = [
    ...[...servers].map(([name, server]) =>
      mcpConnector(name, server, { log: (line) => logger.info({ server: name }, line) }),
    ),
    ...Object.entries(options.tools ?? {}).map(([name, inline]) => inlineConnector(name, inline)),
    ...(await openPlugins({ given: options.plugins ?? [], config, warn: logger.warn.bind(logger) })),
    ...(options.connectors ?? []),
  ];
  const names = connectors.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return connectors;
  throw new ToolwrightError('CONFIG_INVALID', `Two upstreams are called "${twice}". Give each its own name.`);
}
