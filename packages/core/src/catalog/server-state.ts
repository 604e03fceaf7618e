import type { Connector, ConnectorStatus, OmittedTool, ToolDefinition } from '@toolwright/connectors';
import { measureTool } from '@toolwright/connectors/internal';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { Probed } from '../telemetry/health/probes.ts';
import type { ServerText, ServerTexts } from './poisoning/server-texts.ts';

/** The known facts about the tools of one connector. */
interface ListingState {
  /** True after the first successful listing. A later failure does not change it: the tools stay known. */
  listed(): boolean;
  /** True while the tools are known and no change was announced: no listing is necessary. */
  fresh(): boolean;
  /** The unusable tools of the last listing. */
  omitted(): readonly OmittedTool[];
  /** The error of the last listing; undefined while a listing runs and after a success. */
  failure(): unknown;
  /**
   * Lists the tools unless they are known and unchanged. Concurrent calls share one listing. Never rejects. After a failure
   * it tries again at once when `retry` is set, else no sooner than `RETRY_AFTER_MS` later. `waitMs` limits the wait,
   * counted from the start of the listing, so that one slow server delays only the first searches.
   */
  refresh(options: { readonly retry: boolean; readonly waitMs?: number | undefined }): Promise<void>;
  /** Notes that a call has succeeded: the server works, also if its last listing has failed. */
  answered(): void;
}

/** The listing state of one connector: whether its tools are known, and why the last listing failed. */
export interface ServerState extends ListingState {
  readonly connector: Connector;
  readonly name: string;
  readonly slug: string;
  /** The server for its probes. */
  readonly probed: Probed;
  /** The state of the connector; `failed` also with an open connection, while the last listing has failed and no call has succeeded since. */
  status(): ConnectorStatus;
  /** Stops listening for changes and closes the connector. */
  close(): Promise<void>;
  /** Refuses further calls with `CLOSED`, waits `waitMs` at most for the running ones, and closes the connector. */
  remove(waitMs: number): Promise<void>;
}

/** Milliseconds after a failed listing before a search tries that server again. */
export const RETRY_AFTER_MS = 10_000;

/** Watches one connector. Calls `onListed` with the usable tools of every new list, `onFailed` after a failure, and `onStale` for a change. */
export function watchServer(
  { connector, drain }: CountedConnector,
  slugOf: () => string,
  onListed: (definitions: readonly ToolDefinition[], omitted: readonly OmittedTool[]) => Promise<void>,
  onFailed: (problem: string) => void,
  onStale: () => void,
): ServerState {
  let nextProbeAt: string | undefined;
  let closed = false;
  const { problem, running, changed, ...listing } = watchListing(connector, () => closed, onListed, onFailed);
  const unsubscribe = connector.onToolsChanged(() => {
    changed();
    onStale();
  });

  async function close(): Promise<void> {
    closed = true;
    unsubscribe();
    await connector[Symbol.asyncDispose]();
  }

  function status(): ConnectorStatus {
    const own = connector.status();
    const text = problem();
    const shown: ConnectorStatus =
      text === undefined || own.state !== 'ready' ? own : { ...own, state: 'failed', problem: text };
    return nextProbeAt === undefined || shown.state !== 'failed' ? shown : { ...shown, nextProbeAt };
  }

  return {
    ...{ connector, name: connector.name, status, close, ...listing },
    get slug() {
      return slugOf();
    },
    probed: {
      state() {
        const { state } = status();
        if (state === 'failed') return 'failed';
        return state === 'connecting' || running() ? 'unknown' : 'working';
      },
      async probe() {
        await connector.probe?.();
        await listing.refresh({ retry: true });
      },
      scheduled(atMs) {
        nextProbeAt = atMs === undefined ? undefined : new Date(atMs).toISOString();
      },
    },
    async remove(waitMs) {
      closed = true;
      await waitAtMost(drain(), waitMs);
      await close();
      await waitAtMost(running() ?? Promise.resolve(), waitMs);
    },
  };
}

/** The listings of one connector. */
interface Listings extends ListingState {
  /** The problem of the last finished listing, unless a call has succeeded since. */
  problem(): string | undefined;
  /** The listing that runs. */
  running(): Promise<void> | undefined;
  /** Notes that the tools may have changed. */
  changed(): void;
}

function watchListing(
  connector: Connector,
  isClosed: () => boolean,
  onListed: (definitions: readonly ToolDefinition[], omitted: readonly OmittedTool[]) => Promise<void>,
  onFailed: (problem: string) => void,
): Listings {
  let listed = false;
  let stale = true;
  let failure: unknown;
  let problem: string | undefined;
  let omitted: readonly OmittedTool[] = [];
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  let listingSinceMs = 0;

  async function list(): Promise<void> {
    // Reset before the request: a change that is announced during the listing must mark the tools as stale again.
    stale = false;
    failure = undefined;
    try {
      const found = usable(await connector.tools());
      if (isClosed()) throw new ToolwrightError('CLOSED', `The server "${connector.name}" was removed.`);
      omitted = [...(connector.status().omittedTools ?? []), ...found.omitted];
      await onListed(found.tools, omitted);
      listed = true;
      problem = undefined;
    } catch (thrown) {
      stale = true;
      failure = thrown ?? new Error('unknown problem');
      problem = messageOf(failure);
      failedAtMs = performance.now();
      if (!isClosed()) onFailed(problem);
    }
  }

  return {
    listed: () => listed,
    omitted: () => omitted,
    fresh: () => !stale && !listing,
    failure: () => failure,
    problem: () => problem,
    running: () => listing,
    answered() {
      problem = undefined;
    },
    changed() {
      stale = true;
    },
    async refresh({ retry, waitMs }) {
      const isPausing = failure !== undefined && !retry && performance.now() - failedAtMs < RETRY_AFTER_MS;
      if (!listing && stale && !isPausing) {
        listingSinceMs = performance.now();
        listing = list().finally(() => {
          listing = undefined;
        });
      }
      if (!listing || waitMs === undefined) await listing;
      else await waitAtMost(listing, Math.max(0, listingSinceMs + waitMs - performance.now()));
    },
  };
}

/** Returns the usable tools without duplicate names, and the others with the reason. */
function usable(definitions: readonly ToolDefinition[]): { tools: ToolDefinition[]; omitted: OmittedTool[] } {
  const byName = new Map<string, ToolDefinition>();
  const omitted: OmittedTool[] = [];
  for (const definition of definitions) {
    const { name } = definition;
    if (typeof name !== 'string' || byName.has(name)) continue;
    const { problem } = measureTool(definition);
    if (problem === undefined) byName.set(name, definition);
    else omitted.push({ name, problem });
  }
  return { tools: [...byName.values()], omitted };
}

async function waitAtMost(work: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

/** A connector whose server can be removed when its running calls have ended. */
export interface CountedConnector {
  readonly connector: Connector;
  /** Refuses further calls with `CLOSED`. Resolves when the running ones have ended. */
  drain(): Promise<void>;
}

/** Counts the running calls of a connector, and reports those that succeed. Its texts are those for models. */
export function countCalls(source: Connector, onSuccess: () => void, texts?: ServerTexts): CountedConnector {
  const shown = (part: ServerText['part'], text: string | undefined) =>
    text === undefined || source.isTrusted ? text : (texts?.shown({ server: source.name, part, text }) ?? text);
  const running = new Set<Promise<unknown>>();
  let isRemoved = false;
  return {
    connector: {
      name: source.name,
      get description() {
        return shown('description', source.description);
      },
      get instructions() {
        return shown('instructions', source.instructions);
      },
      serverKey: source.serverKey,
      neverAsks: source.neverAsks ? true : undefined,
      clientHeaders: source.clientHeaders,
      status: () => source.status(),
      tools: () => source.tools(),
      context: source.context,
      onToolsChanged: (listener) => source.onToolsChanged(listener),
      async call(tool, args, options) {
        if (isRemoved) {
          const message = `The server "${source.name}" was removed. Search for another tool, or add the server again.`;
          throw new ToolwrightError('CLOSED', message);
        }
        const call = source.call(tool, args, options);
        running.add(call);
        try {
          const data = await call;
          onSuccess();
          return data;
        } finally {
          running.delete(call);
        }
      },
      probe: async () => source.probe?.(),
      cancelPaused: async (tool, state, options) => source.cancelPaused?.(tool, state, options),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    },
    async drain() {
      isRemoved = true;
      await Promise.allSettled(running);
    },
  };
}
