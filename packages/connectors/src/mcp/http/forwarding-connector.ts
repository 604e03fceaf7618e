import { createHash } from 'node:crypto';
import type { Connector, ToolCallOptions } from '../../connector.ts';
import { ToolwrightError } from '../../errors.ts';
import type { FillSecrets, HttpServerConfig } from '../../servers/server-config.ts';
import { type OwnConnection, purgeIdle, useOwn } from '../own-connection.ts';

export interface ForwardingOptions {
  /** Names of headers of clients by the names that the server gets, all in lower case. */
  readonly forwarded: Readonly<Record<string, string>>;
  /** Fills the secrets of the configuration. A value of a client is never filled. */
  readonly fill: FillSecrets;
  /** Opens the server. Connects nothing yet. */
  readonly open: (fill: FillSecrets) => Connector;
}

/** The most connections of one server, each for other values. */
const MAX_CONNECTIONS = 512;
const MAX_VALUE_CHARACTERS = 8_192;
/** The texts that a header can have (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/**
 * Creates a connector whose calls carry headers of the request of their client. Each user has an own connection for each combination of
 * values, so no session and no answer of a server belongs to two of them. Tools are listed, and resources and prompts read, on a
 * connection with the configured headers only. A call without one of its headers raises `ACCESS_DENIED`, and nothing is sent.
 */
export function forwardingConnector(name: string, { forwarded, fill, open }: ForwardingOptions): Connector {
  const shared = open(fill);
  const owned = new Map<string, OwnConnection>();
  let isClosed = false;

  function drop(key: string, { connector }: OwnConnection): void {
    owned.delete(key);
    void disposed(connector);
  }

  function ownOf(values: Readonly<Record<string, string>>, userId: string | undefined): OwnConnection {
    if (isClosed) throw new ToolwrightError('CLOSED', `${name} is closed. Create a new connector.`);
    const key = createHash('sha256')
      .update(JSON.stringify([userId, values]))
      .digest('base64url');
    const known = owned.get(key);
    if (known) return known;
    if (owned.size >= MAX_CONNECTIONS) makeRoom(name, owned, drop);
    const own: OwnConnection = { connector: open(withHeaders(fill, values)), running: 0, usedAtMs: performance.now() };
    owned.set(key, own);
    return own;
  }

  async function withOwn<T>({ clientHeaders, userId }: ToolCallOptions, work: (connector: Connector) => Promise<T>) {
    return useOwn(ownOf(valuesOf(name, forwarded, clientHeaders), userId), work);
  }

  const purge = purgeIdle(owned, drop);

  return {
    name,
    clientHeaders: Object.values(forwarded),
    get description() {
      return shared.description;
    },
    get instructions() {
      return shared.instructions;
    },
    status() {
      const status = shared.status();
      const starts = [...owned.values()].map(({ connector }) => connector.status().starts);
      return { ...status, starts: starts.reduce((sum, count) => sum + count, status.starts) };
    },
    tools: () => shared.tools(),
    probe: async () => shared.probe?.(),
    context: shared.context,
    onToolsChanged: (listener) => shared.onToolsChanged(listener),
    call: async (tool, args, options = {}) =>
      withOwn(options, (connector) => connector.call(tool, args, withoutClient(options))),
    cancelPaused: async (tool, state, options = {}) =>
      withOwn(options, async (connector) => connector.cancelPaused?.(tool, state, withoutClient(options))),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearInterval(purge);
      await Promise.all([shared, ...[...owned.values()].map(({ connector }) => connector)].map(disposed));
      owned.clear();
    },
  };
}

/** Closes the connection that was unused for the longest time. Raises `BUSY`. */
function makeRoom(
  name: string,
  owned: ReadonlyMap<string, OwnConnection>,
  drop: (key: string, own: OwnConnection) => void,
): void {
  const [oldest] = [...owned].filter(([, own]) => own.running === 0).sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
  if (oldest) {
    drop(...oldest);
    return;
  }
  const message = `${name} has ${MAX_CONNECTIONS} connections with forwarded headers in use, the limit. Try again in a moment.`;
  throw new ToolwrightError('BUSY', message);
}

/** Fills secrets first: a value of a client that looks like a reference to a secret stays as it is. */
function withHeaders(fill: FillSecrets, values: Readonly<Record<string, string>>): FillSecrets {
  return async (server, config) => {
    const filled = await fill(server, config);
    const { headers = {} } = filled as Partial<HttpServerConfig>;
    const others = Object.entries(headers).filter(([header]) => !Object.hasOwn(values, header.toLowerCase()));
    return { ...filled, headers: { ...Object.fromEntries(others), ...values } };
  };
}

/** Returns the values by the names that the server gets. Raises `ACCESS_DENIED` without one of them. No error has a value. */
function valuesOf(
  server: string,
  forwarded: ForwardingOptions['forwarded'],
  given: ToolCallOptions['clientHeaders'] = {},
): Readonly<Record<string, string>> {
  const values = Object.entries(forwarded).map(([header, from]): [string, string] => {
    const value = Object.hasOwn(given, from) ? given[from] : undefined;
    if (value !== undefined && value.length <= MAX_VALUE_CHARACTERS && VALUE.test(value)) return [header, value];
    const problem =
      value === undefined
        ? 'This request has none, or the execution goes on without it. Headers are not stored. Run the program again, or resume it, over HTTP with this header'
        : `Its value is empty, has other characters than a header, or more than ${MAX_VALUE_CHARACTERS}. Send another one`;
    const message = `${server} needs the header "${from}" of the client. ${problem}. Nothing was sent.`;
    throw new ToolwrightError('ACCESS_DENIED', message, { details: { server, header: from } });
  });
  return Object.fromEntries(values);
}

function withoutClient<Options extends ToolCallOptions>({ clientHeaders: _own, ...options }: Options) {
  return options;
}

async function disposed(connector: Connector): Promise<void> {
  await Promise.resolve(connector[Symbol.asyncDispose]()).catch(() => undefined);
}
