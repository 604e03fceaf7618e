import type { Connector, ConnectorStatus, ToolCallOptions } from '../connector.ts';
import { ToolwrightError } from '../errors.ts';
import { type ForwardedContext, forwardedContext } from '../forwarded-context.ts';
import { mcpConnector } from '../mcp.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import type { ServerLogs } from './mcp-options.ts';
import { type Account, createAccount } from './oauth/account.ts';
import { isInteractive } from './oauth/client-provider.ts';
import { type OAuthContext, serverKey } from './oauth/context.ts';
import type { CredentialPlace } from './oauth/credentials.ts';
import { isLoginRequired } from './oauth/failure.ts';
import type { AccountRecord } from './oauth/records.ts';
import { type OwnConnection, purgeIdle, useOwn } from './own-connection.ts';

/** The user of calls without one: the embedding program. */
const NO_USER = 'local';
/** Maximum characters of a stored tool list. */
const MAX_TOOLS_CHARACTERS = 4_000_000;

/** More options of {@link oauthConnector}. */
export interface OAuthConnectorOptions extends ServerLogs {
  /** Registers a listener that is called when a user has logged in to this server or out of it. */
  readonly onLogin: (listener: (user: string) => void) => () => unknown;
}

/** The connection of one user. */
interface Own extends OwnConnection {
  readonly account: Account;
}

/**
 * Creates the connector for an MCP server that may require logins. Without one, all users share a connection. As soon as the
 * server answers 401, each user has an own connection with own tokens, which is closed after 10 minutes without calls. Tools
 * are listed with any account. A call uses only the account of its user.
 */
export function oauthConnector(context: OAuthContext, { onLogin, ...logs }: OAuthConnectorOptions): Connector {
  return new OAuthConnector(context, logs, onLogin);
}

class OAuthConnector implements Connector {
  readonly name: string;
  readonly context: ForwardedContext;
  readonly #context: OAuthContext;
  readonly #logs: ServerLogs;
  readonly #listeners = new Set<() => void>();
  readonly #users = new Map<string, Own>();
  readonly #shared: Own;
  readonly #purge: NodeJS.Timeout;
  readonly #forgetLogins: () => unknown;
  #isProtected: Promise<boolean> | undefined;
  /** The connection of the last successful listing. */
  #listed: Own | undefined;
  #needsLogin: string | undefined;
  #isClosed = false;

  constructor(context: OAuthContext, logs: ServerLogs, onLogin: OAuthConnectorOptions['onLogin']) {
    this.name = context.server;
    this.context = forwardedContext(this.name, (options, work) => this.#asUser(options?.userId, work));
    this.#context = context;
    this.#logs = logs;
    this.#shared = this.#open(undefined);
    this.#purge = purgeIdle(this.#users, (user, own) => {
      this.#users.delete(user);
      void closeWhenUnused(own);
    });
    this.#forgetLogins = onLogin((user) => this.#changed(user));
  }

  get description(): string | undefined {
    return (this.#listed ?? this.#shared).connector.description;
  }

  get instructions(): string | undefined {
    return (this.#listed ?? this.#shared).connector.instructions;
  }

  status(): ConnectorStatus {
    const all = [this.#shared, ...this.#users.values()].map(({ connector }) => connector.status());
    const starts = all.reduce((sum, status) => sum + status.starts, 0);
    if (this.#isClosed) return { state: 'closed', starts };
    if (this.#needsLogin !== undefined) return { state: 'authorization required', problem: this.#needsLogin, starts };
    const shown = this.#listed?.connector.status() ?? all.find(({ state }) => state === 'ready') ?? all[0];
    return { ...(shown ?? { state: 'idle' }), starts };
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async tools(): Promise<readonly ToolDefinition[]> {
    let failure: unknown;
    for (const own of await this.#accounts()) {
      try {
        const tools = await own.connector.tools();
        this.#listed = own;
        this.#needsLogin = undefined;
        if (own !== this.#shared) await this.#remember(tools);
        return tools;
      } catch (error) {
        if (!isLoginRequired(error)) throw error;
        if (own === this.#shared && !(await this.#protected())) {
          this.#isProtected = Promise.resolve(true);
          return this.tools();
        }
        failure = error;
      }
    }
    this.#needsLogin = failure instanceof Error ? failure.message : undefined;
    const known = await this.#context.credentials.read<{ tools: readonly ToolDefinition[] }>(this.#toolsPlace());
    if (known) return known.tools;
    throw failure;
  }

  call(tool: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions = {}): Promise<unknown> {
    return this.#asUser(options.userId, (connector) => connector.call(tool, args, options));
  }

  /** Probes the connection whose state the server has. */
  async probe(): Promise<void> {
    await (this.#listed ?? this.#shared).connector.probe?.();
  }

  cancelPaused(tool: string, state: unknown, { userId }: ToolCallOptions = {}): Promise<void> {
    return this.#asUser(userId, async (connector) => connector.cancelPaused?.(tool, state));
  }

  /** Runs a request on the connection of its user, or on the shared one while the server requires no login. */
  async #asUser<Value>(userId: string | undefined, work: (connector: Connector) => Promise<Value>): Promise<Value> {
    if (!(await this.#protected())) {
      try {
        return await useOwn(this.#shared, work);
      } catch (error) {
        if (!isLoginRequired(error)) throw error;
        this.#isProtected = Promise.resolve(true);
      }
    }
    return useOwn(this.#of(this.#isOwnGrant() ? NO_USER : (userId ?? NO_USER)), work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#purge);
    this.#forgetLogins();
    const all = [this.#shared, ...this.#users.values()];
    await Promise.all(all.map(({ connector }) => connector[Symbol.asyncDispose]()));
  }

  #of(user: string): Own {
    const known = this.#users.get(user);
    if (known) return known;
    // Nobody would close a connection that is opened now.
    if (this.#isClosed) throw new ToolwrightError('CLOSED', `${this.name} is closed. Create a new connector.`);
    const own = this.#open(user);
    this.#users.set(user, own);
    return own;
  }

  #open(user: string | undefined): Own {
    const { config, fill } = this.#context;
    const account = createAccount(this.#context, user);
    const connector = mcpConnector(this.name, config, { ...this.#logs, fill, account });
    connector.onToolsChanged(() => this.#announce());
    this.context.follow(connector);
    return { connector, account, running: 0, usedAtMs: performance.now() };
  }

  /** Returns whether the client logs in itself: then all users share its tokens. */
  #isOwnGrant(): boolean {
    const { oauth } = this.#context.config;
    return typeof oauth === 'object' && !isInteractive(oauth);
  }

  /** Returns whether each user needs an own connection. */
  #protected(): Promise<boolean> {
    if (this.#isOwnGrant()) return Promise.resolve(true);
    this.#isProtected ??= this.#records().then((records) => records.length > 0);
    return this.#isProtected;
  }

  #records(): Promise<AccountRecord[]> {
    return this.#context.credentials.list<AccountRecord>('account', serverKey(this.#context));
  }

  /** Returns the connections that may list the tools, the last one that did first. */
  async #accounts(): Promise<readonly Own[]> {
    if (!(await this.#protected())) return [this.#shared];
    const users = new Set([...(await this.#records()).map(({ user }) => user), NO_USER]);
    const all = [...users].map((user) => this.#of(user));
    return this.#listed && all.includes(this.#listed)
      ? [this.#listed, ...all.filter((own) => own !== this.#listed)]
      : all;
  }

  async #remember(tools: readonly ToolDefinition[]): Promise<void> {
    if (JSON.stringify(tools).length > MAX_TOOLS_CHARACTERS) return;
    await this.#context.credentials.write(this.#toolsPlace(), { tools });
  }

  #toolsPlace(): CredentialPlace {
    return { kind: 'tools', server: serverKey(this.#context), name: 'tools' };
  }

  #changed(user: string): void {
    const own = this.#users.get(user);
    this.#users.delete(user);
    if (own === this.#listed) this.#listed = undefined;
    own?.account.forget();
    if (own) void closeWhenUnused(own);
    this.#isProtected = Promise.resolve(true);
    this.#needsLogin = undefined;
    this.#announce();
    this.context.changed();
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

async function closeWhenUnused(own: Own): Promise<void> {
  if (own.running > 0) setTimeout(() => void closeWhenUnused(own), 1_000).unref();
  else await Promise.resolve(own.connector[Symbol.asyncDispose]()).catch(() => undefined);
}
