import { resolve } from 'node:path';
import { loadConfig, parseConfig } from './config.ts';
import type { Connector } from './connectors/connector.ts';
import { type InlineConnectorOptions, inlineConnector } from './connectors/inline.ts';
import { mcpConnector } from './connectors/mcp.ts';
import type { ServerConfig } from './connectors/server-config.ts';
import { ToolwrightError } from './errors.ts';
import { type ExecutionSettings, execute } from './execution/execute.ts';
import { checkLimits, type Limits } from './execution/limits.ts';
import type { ExecutionResult } from './execution/result.ts';
import { createSessions } from './execution/session.ts';
import { loadTokenizer } from './execution/tokens.ts';
import type { Language, LanguageName } from './languages/language.ts';
import { pythonLanguage } from './languages/python.ts';
import { typescriptLanguage } from './languages/typescript.ts';
import { type Logger, stderrLogger } from './log.ts';
import { openSandboxes } from './sandboxes/choose.ts';
import type { Sandbox } from './sandboxes/sandbox.ts';
import type { SearchAnswer } from './tools/answer.ts';
import { createCatalog, type ServerSummary } from './tools/catalog.ts';
import type { Detail } from './tools/tool.ts';

export interface ToolwrightOptions {
  /** Path of a configuration file; see `docs/configuration.md`. Without it nothing is read from disk. */
  readonly config?: string;
  /** Upstreams, as in the `mcpServers` object of a configuration file; added to those of `config`. */
  readonly mcpServers?: Readonly<Record<string, object>>;
  /** Functions of this program as tools, by server name. */
  readonly tools?: Readonly<Record<string, InlineConnectorOptions>>;
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
  /** Default: JSON lines on stderr from level `warn` (`TOOLWRIGHT_LOG`) on. */
  readonly logger?: Logger;
}

/** What may be set for one execution; everything is optional. */
export interface ExecuteOptions extends Omit<ExecutionSettings, 'limits'> {
  /** `typescript`, the default, takes JavaScript too. */
  readonly language?: LanguageName;
  /** Limits that differ from those of the Toolwright. */
  readonly limits?: Partial<Limits>;
}

/** Tools to search, and a sandbox for programs that call them. */
export interface Toolwright extends AsyncDisposable {
  /**
   * Runs a program. Resolves for all that can go wrong in it: read `status`. Rejects only with `CONFIG_INVALID` (limits,
   * language, session id, data folder), `SANDBOX_UNAVAILABLE` (none for the language) and `CLOSED`.
   */
  execute(source: string, options?: ExecuteOptions): Promise<ExecutionResult>;
  /**
   * Finds tools by what they do. Several queries are answered in one go. `limit` is per query, default 5, at most 50.
   * `text` is the answer for a model, at most 1,500 tokens, in `language` (TypeScript by default). Raises `UNKNOWN_SERVER`.
   */
  search(
    query: string | readonly string[],
    options?: { server?: string; limit?: number; language?: Language['name'] },
  ): Promise<SearchAnswer>;
  /**
   * Describes one tool: a one-line `signature`, full `docs` as a declaration (default), or the raw `schema`. TypeScript, unless
   * `language` says otherwise. Raises `UNKNOWN_TOOL`.
   */
  describe(tool: string, detail?: Detail, options?: { language?: Language['name'] }): Promise<string>;
  /** The upstreams and how they stand. With `load`, waits until each has listed its tools, failed, or `waitMs` are over. */
  servers(options?: { load?: boolean; waitMs?: number }): Promise<readonly ServerSummary[]>;
  /** The sandbox that runs a language, and why it was taken. Raises `SANDBOX_UNAVAILABLE` where none does. */
  sandbox(
    language?: LanguageName,
  ): Promise<{ readonly name: string; readonly isolation: string; readonly reason: string }>;
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
export async function createToolwright(options: ToolwrightOptions = {}): Promise<Toolwright> {
  const logger = options.logger ?? stderrLogger();
  const own = parseConfig({ mcpServers: options.mcpServers ?? {} }, { file: 'options' });
  const config = options.config === undefined ? own : loadConfig({ path: options.config });
  const limits = checkLimits({ ...config.limits, ...options.limits });
  const dataDir = resolve(options.dataDir ?? config.dataDir);
  const servers = config === own ? own.servers : new Map([...config.servers, ...own.servers]);
  const connectors = makeConnectors(options, servers, logger);
  const sandboxes = openSandboxes({
    sandbox: options.sandbox ?? config.sandbox,
    memoryBytes: limits.memoryBytes,
    onChoice: (guest, { sandbox, reason }) => logger.info({ guest, sandbox: sandbox.name, reason }, 'sandbox chosen'),
  });
  await sandboxes.for(sandboxes.primary);
  const catalog = createCatalog({ connectors, log: logger });
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
  const sessions = createSessions(dataDir);
  void loadTokenizer();
  if ((options.connect ?? config.connect) === 'eager') void catalog.load();

  let closing: Promise<void> | undefined;
  const running = new Map<AbortController, Promise<unknown>>();
  const close = () => {
    // Executions end first, so that each is told as cancelled and its ledger has an end.
    for (const ending of running.keys()) ending.abort();
    closing ??= Promise.all([
      sandboxes[Symbol.asyncDispose](),
      catalog[Symbol.asyncDispose](),
      Promise.allSettled(running.values()),
    ]).then(() => undefined);
    return closing;
  };
  return {
    async sandbox(wanted = 'typescript') {
      const { sandbox, reason } = await sandboxes.for(languageOf(wanted).guest);
      return { name: sandbox.name, isolation: sandbox.isolation, reason };
    },
    async execute(source, { language: wanted = 'typescript', limits: changed, ...settings } = {}) {
      if (closing) throw new ToolwrightError('CLOSED', 'This Toolwright is closed. Make a new one.');
      const language = languageOf(String(wanted));
      if (typeof source !== 'string') throw new ToolwrightError('CONFIG_INVALID', 'execute takes a program as text.');
      const { sandbox, reason } = await sandboxes.for(language.guest);
      const onDefect = (id: string, error: unknown) => logger.error({ id, err: error }, 'internal error');
      const { signal } = settings;
      const ending = new AbortController();
      const cancel = () => ending.abort();
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const run = execute(
        source,
        { catalog, sandbox, sandboxReason: reason, language, sessions, dataDir, onDefect },
        { ...settings, signal: ending.signal, limits: changed ? checkLimits({ ...limits, ...changed }) : limits },
      );
      running.set(ending, run);
      return run.finally(() => {
        running.delete(ending);
        signal?.removeEventListener('abort', cancel);
      });
    },
    search: (query, searchOptions) => catalog.search(typeof query === 'string' ? [query] : query, searchOptions),
    describe: (tool, detail = 'docs', { language } = {}) => catalog.describe(tool, detail, language),
    async servers({ load = false, waitMs } = {}) {
      if (load) await catalog.load(waitMs === undefined ? {} : { waitMs });
      return catalog.servers();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function makeConnectors(
  options: ToolwrightOptions,
  servers: ReadonlyMap<string, ServerConfig>,
  logger: Logger,
): Connector[] {
  const connectors = [
    ...[...servers].map(([name, server]) =>
      mcpConnector(name, server, { log: (line) => logger.info({ server: name }, line) }),
    ),
    ...Object.entries(options.tools ?? {}).map(([name, inline]) => inlineConnector(name, inline)),
    ...(options.connectors ?? []),
  ];
  const names = connectors.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return connectors;
  throw new ToolwrightError('CONFIG_INVALID', `Two upstreams are called "${twice}". Give each its own name.`);
}
