import type { Connector, ConnectorStatus, OmittedTool } from '../connectors/connector.ts';
import type { ToolDefinition } from '../connectors/tool.ts';
import { measureTool } from '../connectors/usable-tool.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { CountedConnector } from './running-calls.ts';

/** The listing state of one connector: whether its tools are known, and why the last listing failed. */
export interface ServerState {
  readonly connector: Connector;
  readonly name: string;
  readonly slug: string;
  /** True after the first successful listing. A later failure does not change it: the tools stay known. */
  listed(): boolean;
  /** True while the tools are known and no change was announced: no listing is necessary. */
  fresh(): boolean;
  /** The unusable tools of the last listing. */
  omitted(): readonly OmittedTool[];
  /** The error of the last listing; undefined while a listing runs and after a success. */
  failure(): unknown;
  /** The state of the connector; `failed` also with an open connection, while the last finished listing has failed. */
  status(): ConnectorStatus;
  /**
   * Lists the tools unless they are known and unchanged. Concurrent calls share one listing. Never rejects. After a failure
   * it tries again at once when `retry` is set, else no sooner than `RETRY_AFTER_MS` later. `waitMs` limits the wait,
   * counted from the start of the listing, so that one slow server delays only the first searches.
   */
  refresh(options: { readonly retry: boolean; readonly waitMs?: number | undefined }): Promise<void>;
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
  let listed = false;
  let stale = true;
  let failure: unknown;
  let problem: string | undefined;
  let omitted: readonly OmittedTool[] = [];
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  let listingSinceMs = 0;
  let closed = false;
  const unsubscribe = connector.onToolsChanged(() => {
    stale = true;
    onStale();
  });

  async function list(): Promise<void> {
    // Reset before the request: a change that is announced during the listing must mark the tools as stale again.
    stale = false;
    failure = undefined;
    try {
      const found = usable(await connector.tools());
      if (closed) throw new ToolwrightError('CLOSED', `The server "${connector.name}" was removed.`);
      omitted = [...(connector.status().omittedTools ?? []), ...found.omitted];
      await onListed(found.tools, omitted);
      listed = true;
      problem = undefined;
    } catch (thrown) {
      stale = true;
      failure = thrown ?? new Error('unknown problem');
      problem = messageOf(failure);
      failedAtMs = performance.now();
      if (!closed) onFailed(problem);
    }
  }

  async function close(): Promise<void> {
    closed = true;
    unsubscribe();
    await connector[Symbol.asyncDispose]();
  }

  return {
    ...{ connector, name: connector.name },
    get slug() {
      return slugOf();
    },
    listed: () => listed,
    omitted: () => omitted,
    fresh: () => !stale && !listing,
    failure: () => failure,
    status() {
      const status = connector.status();
      return problem === undefined || status.state !== 'ready' ? status : { ...status, state: 'failed', problem };
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
    close,
    async remove(waitMs) {
      closed = true;
      await waitAtMost(drain(), waitMs);
      await close();
      if (listing) await waitAtMost(listing, waitMs);
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
