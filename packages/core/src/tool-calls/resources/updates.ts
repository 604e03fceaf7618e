import type { ContextOptions, ContextSource } from '@toolwright/connectors';

/** The updates of resources that one execution waits for. */
export interface Updates {
  /**
   * Waits until the server reports an update of a resource, since the last call or the first one, which subscribes. Returns false
   * after `timeoutMs`.
   */
  wait(
    server: string,
    source: ContextSource,
    request: { readonly uri: string; readonly timeoutMs: number },
    options: ContextOptions,
  ): Promise<boolean>;
  /** Ends all subscriptions. */
  close(): void;
}

interface Watch {
  isUpdated: boolean;
  readonly waiting: Set<() => void>;
  readonly end: Promise<() => Promise<void>>;
}

/**
 * Creates the subscriptions of one execution. An execution that is continued may have missed an update meanwhile, so the first
 * wait of a resource returns true then.
 */
export function createUpdates(isContinued: boolean): Updates {
  const watches = new Map<string, Watch>();

  const watch = (key: string, source: ContextSource, uri: string, { signal, userId }: ContextOptions): Watch => {
    const found = watches.get(key);
    if (found) return found;
    const opened: Watch = {
      isUpdated: isContinued,
      waiting: new Set(),
      end: source.subscribe(
        uri,
        () => {
          opened.isUpdated = true;
          for (const wake of [...opened.waiting]) wake();
        },
        { signal, userId },
      ),
    };
    watches.set(key, opened);
    opened.end.catch(() => watches.delete(key));
    return opened;
  };
  return {
    async wait(server, source, { uri, timeoutMs }, options) {
      const watched = watch(JSON.stringify([server, uri]), source, uri, options);
      await watched.end;
      if (!watched.isUpdated) await waitFor(watched, timeoutMs, options.signal);
      const { isUpdated } = watched;
      watched.isUpdated = false;
      return isUpdated;
    },
    close() {
      for (const { end } of watches.values()) {
        void end.then((unsubscribe) => unsubscribe()).catch(() => undefined);
      }
      watches.clear();
    },
  };
}

async function waitFor({ waiting }: Watch, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      waiting.delete(done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    waiting.add(done);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
  signal?.throwIfAborted();
}
