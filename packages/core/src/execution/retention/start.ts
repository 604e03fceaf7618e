import type { Logger } from '../../telemetry/log.ts';
import { type PurgeOptions, purgeExpired } from './purge.ts';

export interface RetentionOptions extends Pick<PurgeOptions, 'dataDir' | 'executions' | 'sessions'> {
  /** Days after their last use at which sessions and journals are deleted; undefined deletes nothing at all. */
  readonly retentionDays: number | undefined;
  readonly logger: Logger;
}

/** Milliseconds between two looks whether a day has passed since the last deletion. */
const LOOK_MS = 60 * 60 * 1_000;

/** Starts the deletion of expired data in the background, now and each day. Returns a function that ends it. */
export function startRetention({ retentionDays, logger, ...options }: RetentionOptions): () => void {
  const ending = new AbortController();
  if (retentionDays === undefined) return () => undefined;
  const purge = () =>
    void purgeExpired({ ...options, retentionDays, signal: ending.signal }).then(
      (purged) => logger.debug(purged, 'expired data purged'),
      (error: unknown) => logger.warn({ err: error }, 'expired data could not be purged'),
    );
  purge();
  const timer = setInterval(purge, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    ending.abort();
  };
}
