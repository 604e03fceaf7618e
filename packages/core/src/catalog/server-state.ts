import type { Connector } from '../connectors/connector.ts';
import { messageOf } from '../errors.ts';
import type { ToolDefinition } from './tool.ts';

/** What the catalog knows of one connector: its tools when they were last listed, and how that went. */
export interface ServerState {
  readonly connector: Connector;
  readonly name: string;
  readonly slug: string;
  /** True once the tools were listed; they stay known when a later listing fails. */
  listed(): boolean;
  /** True while the tools are known and unchanged: there is nothing to wait for. */
  fresh(): boolean;
  /** Why the last listing failed; undefined while it runs and after it succeeded. */
  failure(): unknown;
  /**
   * Lists the tools unless they are known and unchanged; calls at the same time share one listing. Never rejects. After a
   * failure it tries again at once when `retry` is set, or else no sooner than `RETRY_AFTER_MS` later. With `waitMs` it
   * waits no longer than that from the start of the listing, so that a slow upstream delays few and not everyone.
   */
  refresh(options: { readonly retry: boolean; readonly waitMs?: number | undefined }): Promise<void>;
  /** Stops listening for changes and closes the connector. */
  close(): Promise<void>;
}

/** Pause after a failed listing before a search tries that upstream again. */
export const RETRY_AFTER_MS = 10_000;

/** Watches one connector. `onListed` gets every new list, each name once. */
export function watchServer(
  connector: Connector,
  slug: string,
  onListed: (definitions: readonly ToolDefinition[]) => void,
  onFailed: (problem: string) => void,
): ServerState {
  let listed = false;
  let stale = true;
  let failure: unknown;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  let listingSinceMs = 0;
  let closed = false;
  const unsubscribe = connector.onToolsChanged(() => {
    stale = true;
  });

  async function list(): Promise<void> {
    // A change that is announced while the list is on its way must not get lost.
    stale = false;
    failure = undefined;
    try {
      onListed(distinct(await connector.tools()));
      listed = true;
    } catch (thrown) {
      stale = true;
      failure = thrown ?? new Error('unknown problem');
      failedAtMs = performance.now();
      if (!closed) onFailed(messageOf(thrown));
    }
  }

  return {
    connector,
    name: connector.name,
    slug,
    listed: () => listed,
    fresh: () => !stale && !listing,
    failure: () => failure,
    async refresh({ retry, waitMs }) {
      const pausing = failure !== undefined && !retry && performance.now() - failedAtMs < RETRY_AFTER_MS;
      if (!listing && stale && !pausing) {
        listingSinceMs = performance.now();
        listing = list().finally(() => {
          listing = undefined;
        });
      }
      if (!listing || waitMs === undefined) await listing;
      else await patiently(listing, Math.max(0, listingSinceMs + waitMs - performance.now()));
    },
    async close() {
      closed = true;
      unsubscribe();
      await connector[Symbol.asyncDispose]();
    },
  };
}

function distinct(definitions: readonly ToolDefinition[]): ToolDefinition[] {
  const byName = new Map<string, ToolDefinition>();
  for (const definition of definitions) {
    if (typeof definition.name === 'string' && !byName.has(definition.name)) byName.set(definition.name, definition);
  }
  return [...byName.values()];
}

async function patiently(work: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
