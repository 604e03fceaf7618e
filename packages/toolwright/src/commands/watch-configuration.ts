import { unwatchFile, watchFile } from 'node:fs';
import type { Logger, Toolwright } from '@toolwright/core';
import { messageOf } from '@toolwright/core/errors';

export interface WatchOptions {
  /** The configuration file. Without one, nothing is watched. */
  readonly file: string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds between two looks at the file. */
  readonly intervalMs?: number;
  /** Reloads at SIGHUP too. Default: unless a terminal may send it when its window closes. */
  readonly hangup?: boolean;
}

/** The file is looked at, because a file system of a container or of another machine reports no changes. */
const INTERVAL_MS = 1_000;
/** Milliseconds without a change before the file is read: some editors write in several steps. */
const SETTLED_MS = 100;

/**
 * Reloads the configuration of a running Toolwright when its file changes, and at SIGHUP. An invalid file changes nothing and is
 * logged with the place of each problem.
 */
export function watchConfiguration(toolwright: Pick<Toolwright, 'reload'>, options: WatchOptions): Disposable {
  const { file, logger, intervalMs = INTERVAL_MS, hangup = !process.stdin.isTTY } = options;
  if (file === undefined) return { [Symbol.dispose]: () => undefined };
  const reload = () =>
    void toolwright.reload().then(
      ({ needsRestart, ...servers }) => {
        logger.info({ file, ...servers }, 'the configuration was reloaded');
        if (needsRestart.length > 0) logger.warn({ file, needsRestart }, 'changed settings need a restart');
      },
      (error: unknown) => logger.error({ file, problem: messageOf(error) }, 'the new configuration is not used'),
    );
  let settling: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(settling);
    settling = setTimeout(reload, SETTLED_MS).unref();
  };
  watchFile(file, { interval: intervalMs, persistent: false }, onChange);
  if (hangup) process.on('SIGHUP', reload);
  return {
    [Symbol.dispose]() {
      unwatchFile(file, onChange);
      clearTimeout(settling);
      process.off('SIGHUP', reload);
    },
  };
}
