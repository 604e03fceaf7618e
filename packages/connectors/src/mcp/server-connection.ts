import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, InsufficientScopeError } from '@modelcontextprotocol/client';
import { cutOutsideValues } from '@toolwright/pii/internal';
import * as z from 'zod';
import type { ConnectorStatus } from '../connector.ts';
import { redactSecrets, secretRedactor } from '../content/secret-redactor.ts';
import { ToolwrightError } from '../errors.ts';
import { isConnectionRefused } from '../network/network-reason.ts';
import type { FillSecrets, McpServerConfig, QuestionSettings } from '../servers/server-config.ts';
import { Backoff } from './backoff.ts';
import { callFailure, httpStatus, losesConnection } from './calls/call-failure.ts';
import { orCancelled } from './calls/or-cancelled.ts';
import { watchHealth } from './health.ts';
import { HttpRefusal, isSameRefusal, isSessionLost, mayBeAboutSession } from './http/refusal.ts';
import type { CallsInFlight } from './input/calls-in-flight.ts';
import type { Completions } from './input/handlers.ts';
import type { Account } from './oauth/account.ts';
import { isLoginRequired } from './oauth/failure.ts';
import { type OpenConnection, openConnection } from './open-connection.ts';

/** Maximum milliseconds that a request waits for the next connection attempt. If the pause is longer, it fails. */
const MAX_WAIT_MS = 2_000;
const ANY_RESULT = z.looseObject({});
const MAX_LOG_CHARACTERS = 2_000;
/** Milliseconds for the answer to the request that shows whether a session is lost. */
const SESSION_CHECK_MS = 5_000;
/** How often a request is sent again after the pause that its server asks for, and the longest pause. */
const MAX_RETRIES = 3;
const MAX_RETRY_MS = 30_000;
/** Pauses before a server that is not at its address is asked again, in milliseconds. One that starts again needs seconds. */
const RESTART_PAUSES_MS = [200, 400, 800, 1_600, 3_000];
/** Milliseconds between two looks at a lost connection whose requests still run. */
const IDLE_LOOK_MS = 1_000;

export interface ServerConnectionOptions {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly fill: FillSecrets;
  /** Adds the tokens of one user to requests. */
  readonly account: Account | undefined;
  readonly calls: CallsInFlight;
  readonly completions: Completions;
  readonly log: ((line: string) => void) | undefined;
  readonly onServerLog: ((line: string) => void) | undefined;
  /** Receives each new connection. */
  readonly onConnected: (connection: OpenConnection) => void;
  readonly onToolsChanged: () => void;
}

/** A request, for the texts of its errors. */
export interface ServerRequest {
  /** The tool, or the method. */
  readonly tool: string;
  readonly timeoutMs: number;
  /** Milliseconds with reports of progress. */
  readonly maxTimeoutMs?: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the request may take effect twice: a list, or a tool that only reads. Default: false. */
  readonly isRepeatable?: () => boolean | Promise<boolean>;
}

/**
 * The connection to one server. It is opened when it is first needed, and stays open. After a loss, the next request opens it again,
 * with growing pauses.
 */
export class ServerConnection implements AsyncDisposable {
  readonly #options: ServerConnectionOptions;
  readonly #backoff = new Backoff();
  readonly #closing = new AbortController();
  #hasFailed = false;
  readonly #inFlight = new WeakMap<OpenConnection, number>();
  #redactConfigured: (text: string) => string;
  #current: OpenConnection | undefined;
  #last: OpenConnection | undefined;
  #opening: Promise<OpenConnection> | undefined;
  #isLegacy = false;
  #problem: string | undefined;
  #needsLogin: string | undefined;
  #starts = 0;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.#redactConfigured = secretRedactor(options.config);
  }

  /** The purpose of the server, as its last connection had it. */
  get about(): string | undefined {
    return this.#last?.about;
  }

  get instructions(): string | undefined {
    return this.#last?.instructions;
  }

  status(): Omit<ConnectorStatus, 'omittedTools'> {
    const problem = this.#needsLogin ?? this.#problem;
    return {
      state: this.#state(),
      starts: this.#starts,
      problem,
      protocol: this.#current?.protocol,
    };
  }

  /** Logs a line without secrets. */
  readonly log = (line: string): void => this.#options.log?.(this.#redact(line));

  /** Returns the open connection when a request can use it without waiting. */
  ready(signal: AbortSignal | undefined): OpenConnection | undefined {
    return this.#closing.signal.aborted || signal?.aborted ? undefined : this.#current;
  }

  /** Returns the connection for a request. Raises the reason of the signal, and the errors of {@link open}. */
  async for({ tool, signal }: Omit<ServerRequest, 'timeoutMs'>): Promise<OpenConnection> {
    return this.ready(signal) ?? orCancelled(this.open(), signal, tool, this.#options.name);
  }

  /** Opens the connection, unless it is open. Raises `UPSTREAM_UNAVAILABLE`, `AUTHORIZATION_REQUIRED` and `CLOSED`. */
  async open(): Promise<OpenConnection> {
    if (this.#closing.signal.aborted) throw this.#closedError();
    if (this.#current !== undefined) return this.#current;
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Counts a request on a connection: 1 at its start and -1 at its end. A lost connection is closed after its last request. */
  count(connection: OpenConnection, change: 1 | -1): void {
    this.#inFlight.set(connection, (this.#inFlight.get(connection) ?? 0) + change);
  }

  /** Sends a request again with more scopes when the server refuses it for missing ones: it has executed nothing then. */
  readonly withScopes = <Result>(send: () => Promise<Result>): Promise<Result> => {
    const { account } = this.#options;
    if (account === undefined) return send();
    return send().catch(async (error) => {
      if (!(error instanceof InsufficientScopeError)) throw error;
      await account.stepUp(error.requiredScope);
      return this.withScopes(send);
    });
  };

  /**
   * Sends a request. It is sent again only when it certainly had no effect. That is after the pause that the server asks for, and once in
   * a new session when the server does not know the old one.
   */
  deliver<Result>(
    connection: OpenConnection,
    requestOf: () => Omit<ServerRequest, 'timeoutMs'>,
    send: (connection: OpenConnection) => Promise<Result>,
  ): Promise<Result> {
    return send(connection).catch((error) => this.#deliverAgain(connection, requestOf(), send, error));
  }

  async #deliverAgain<Result>(
    connection: OpenConnection,
    request: Omit<ServerRequest, 'timeoutMs'>,
    send: (connection: OpenConnection) => Promise<Result>,
    first: unknown,
  ): Promise<Result> {
    try {
      return await this.#sendWhenReady(request, () => send(connection), first);
    } catch (error) {
      if (!(await this.#isSessionLost(connection, error))) throw error;
      this.#lose(connection, `${this.#options.name} does not know the session any more.`);
      // An error of the server may come after an effect.
      if (error instanceof HttpRefusal && error.status >= 500 && !(await request.isRepeatable?.())) throw error;
      this.log('does not know the session any more; a new one is opened');
      const next = await this.for(request);
      this.count(next, 1);
      try {
        return await send(next).catch((second) => this.#sendWhenReady(request, () => send(next), second));
      } finally {
        this.count(next, -1);
      }
    }
  }

  /** Sends a request that has failed again: when its server asks for it, or was not there. Raises the last error. */
  async #sendWhenReady<Result>(
    { signal, isRepeatable }: Omit<ServerRequest, 'timeoutMs'>,
    send: () => Promise<Result>,
    first: unknown,
  ): Promise<Result> {
    let error = first;
    for (let retries = 0; ; retries++) {
      const isAbsent = isConnectionRefused(error);
      const asked = error instanceof HttpRefusal && retries < MAX_RETRIES ? error.retryAfterMs : undefined;
      const waitMs = isAbsent ? RESTART_PAUSES_MS[retries] : asked;
      if (waitMs === undefined || waitMs > MAX_RETRY_MS) throw error;
      // A server refuses too many requests (429) before it reads them. After 503, only a repeatable one is sent again.
      if (!isAbsent && httpStatus(error) !== 429 && !(await isRepeatable?.())) throw error;
      if (isAbsent) this.log(`is not at its address; the request is sent again in ${waitMs} ms`);
      await sleep(waitMs, undefined, { signal }).catch(() => Promise.reject(signal?.reason));
      try {
        return await send();
      } catch (next) {
        error = next;
      }
    }
  }

  /** Returns whether a request failed because the session is lost. A second request decides where the words of the first do not. */
  async #isSessionLost(connection: OpenConnection, error: unknown): Promise<boolean> {
    if (!connection.hasSession()) return false;
    if (isSessionLost(error)) return true;
    if (!mayBeAboutSession(error)) return false;
    return askWithoutEffect(connection.client).then(
      () => false,
      (second: unknown) => isSameRefusal(error, second),
    );
  }

  /** Ends the pauses after failures. */
  succeeded(): void {
    if (this.#hasFailed) this.#backoff.succeeded();
    this.#hasFailed = false;
  }

  /** Returns the error of a request, and stops using the connection when it is lost. */
  failure(error: unknown, connection: OpenConnection, request: ServerRequest): unknown {
    if (this.#closing.signal.aborted) return this.#closedError();
    // An answer 401 to a new token.
    const rejected = httpStatus(error) === 401 ? this.#options.account?.rejected() : undefined;
    if (rejected) return rejected;
    const failure = callFailure(error, {
      ...request,
      server: this.#options.name,
      redact: this.#redact,
      evidence: connection.evidence(),
      unreadable: connection.unreadable(),
    });
    if (losesConnection(error)) this.#lose(connection, failure.message);
    return failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => undefined);
    await this.#current?.close();
  }

  readonly #redact = (text: string): string =>
    redactSecrets(this.#redactConfigured(text), this.#options.account?.secrets() ?? []);

  #state(): ConnectorStatus['state'] {
    if (this.#closing.signal.aborted) return 'closed';
    if (this.#current !== undefined) return 'ready';
    if (this.#opening !== undefined) return 'connecting';
    if (this.#needsLogin !== undefined) return 'authorization required';
    return this.#problem === undefined ? 'idle' : 'failed';
  }

  async #start(): Promise<OpenConnection> {
    const { name, config, fill } = this.#options;
    const wait = this.#backoff.waitMs();
    if (wait > MAX_WAIT_MS) {
      const text = `${name} failed ${this.#backoff.failures} times in a row. The next attempt is in ${wait} ms. ${this.#problem}`;
      throw new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server: name, retryMs: wait } });
    }
    await sleep(wait);
    try {
      const filled = await fill(name, config);
      this.#redactConfigured = secretRedactor(filled);
      const connection = await this.#connectAgain(() => this.withScopes(() => this.#connect(filled)));
      this.#adopt(connection);
      return connection;
    } catch (error) {
      this.#isLegacy = false;
      // A login is not an outage: the next attempt is due at once.
      if (isLoginRequired(error)) {
        this.#needsLogin = error.message;
        throw error;
      }
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#backOff();
      throw error;
    }
  }

  /** Opens a connection. A server that was there before, and is not there now, may be starting again: it is asked for some seconds. */
  async #connectAgain(connect: () => Promise<OpenConnection>): Promise<OpenConnection> {
    for (const waitMs of this.#last === undefined ? [] : RESTART_PAUSES_MS) {
      try {
        return await connect();
      } catch (error) {
        if (!isConnectionRefused(error) || this.#closing.signal.aborted) throw error;
        const { signal } = this.#closing;
        await sleep(waitMs, undefined, { signal }).catch(() => Promise.reject(this.#closedError()));
      }
    }
    return connect();
  }

  #connect(filled: McpServerConfig): Promise<OpenConnection> {
    const { name, config, account, calls, completions, onToolsChanged, onServerLog } = this.#options;
    return openConnection(name, filled, {
      // The server used an old revision before: it needs no second probe.
      mode: this.#isLegacy ? 'legacy' : (config.protocol ?? 'auto'),
      signal: this.#closing.signal,
      account,
      onToolsChanged,
      redact: this.#redact,
      log: this.log,
      onServerLog: ({ level, data }) => onServerLog?.(this.#redact(serverLine(level, data))),
      requests: { server: name, questions: questionsOf(config), calls, completions, log: this.log },
      onStart: () => {
        this.#starts++;
      },
    });
  }

  #adopt(connection: OpenConnection): void {
    const isRestart = this.#problem !== undefined;
    this.#needsLogin = undefined;
    this.#problem = undefined;
    this.#current = connection;
    this.#last = connection;
    this.#isLegacy = connection.client.getProtocolEra() === 'legacy';
    this.#options.onConnected(connection);
    const stop = this.#isLegacy
      ? watchHealth(
          connection.client,
          () => this.#running(connection) === 0,
          () => void connection.close(),
        )
      : undefined;
    void connection.closed.then(() => {
      stop?.();
      if (!this.#closing.signal.aborted)
        this.#lose(connection, `${this.#options.name} closed the connection.${connection.evidence()}`);
    });
    if (isRestart) this.#options.onToolsChanged();
  }

  /** Stops using a connection. Running requests on it may still finish. */
  #lose(connection: OpenConnection, problem: string): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#problem = problem;
    this.#backOff();
    const closeWhenIdle = (): void => {
      if (this.#running(connection) === 0) void connection.close().catch(() => undefined);
      else setTimeout(closeWhenIdle, IDLE_LOOK_MS).unref();
    };
    setImmediate(closeWhenIdle);
  }

  #backOff(): void {
    this.#hasFailed = true;
    this.#backoff.failed();
  }

  #running(connection: OpenConnection): number {
    return this.#inFlight.get(connection) ?? 0;
  }

  #closedError(): ToolwrightError {
    return new ToolwrightError('CLOSED', `${this.#options.name} is closed. Create a new connector.`);
  }
}

/** Sends a request that needs a session. Some servers answer a ping without one. */
function askWithoutEffect(client: Client): Promise<unknown> {
  const options = { timeout: SESSION_CHECK_MS };
  if (client.getServerCapabilities()?.tools === undefined) return client.ping(options);
  return client.request({ method: 'tools/list' } as never, ANY_RESULT as never, options);
}

/** Returns the questions that a server may ask. A folder of this machine means nothing to one that runs elsewhere. */
function questionsOf(config: McpServerConfig): QuestionSettings {
  return 'command' in config ? { ...config.questions } : { ...config.questions, roots: false };
}

/** Returns a line of a server's log as text. A long one is cut. */
function serverLine(level: string, data: unknown): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return `${level}: ${text.slice(0, cutOutsideValues(text, MAX_LOG_CHARACTERS))}`;
}
