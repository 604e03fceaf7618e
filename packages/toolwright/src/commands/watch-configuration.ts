import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Logger, Toolwright } from '@toolwright/core';
import { messageOf } from '@toolwright/core/errors';
import { UntrustedFilesError } from './project/prepare.ts';

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
 * logged with the place of each problem. So does one that the user has not accepted, until then.
 */
export function watchConfiguration(toolwright: Pick<Toolwright, 'reload'>, options: WatchOptions): Disposable {
  const { file, logger, intervalMs = INTERVAL_MS, hangup = !process.stdin.isTTY } = options;
  if (file === undefined) return { [Symbol.dispose]: () => undefined };
  let settling: NodeJS.Timeout | undefined;
  const reload = (isAgain = false) =>
    void toolwright.reload().then(
      ({ needsRestart, ...servers }) => {
        logger.info({ file, ...servers }, 'the configuration was reloaded');
        if (needsRestart.length > 0) logger.warn({ file, needsRestart }, 'changed settings need a restart');
      },
      (error: unknown) => {
        const isUntrusted = error instanceof UntrustedFilesError;
        if (!(isAgain && isUntrusted))
          logger.error({ file, problem: messageOf(error) }, 'the new configuration is not used');
        if (isUntrusted && !isClosed) later(intervalMs, true);
      },
    );
  const later = (ms: number, isAgain: boolean) => {
    clearTimeout(settling);
    settling = setTimeout(reload, ms, isAgain).unref();
  };
  const onChange = () => later(SETTLED_MS, false);
  const onHangup = () => reload();
  let isClosed = false;
  // "watchFile" of Node takes its first look later: a change before it would never be seen.
  let seen = fingerprint(statSync(file, { throwIfNoEntry: false }));
  const look = async () => {
    const now = fingerprint(await stat(file).catch(() => undefined));
    if (isClosed) return;
    if (now !== seen) onChange();
    seen = now;
    looking = setTimeout(look, intervalMs).unref();
  };
  let looking = setTimeout(look, intervalMs).unref();
  if (hangup) process.on('SIGHUP', onHangup);
  return {
    [Symbol.dispose]() {
      clearTimeout(looking);
      isClosed = true;
      clearTimeout(settling);
      process.off('SIGHUP', onHangup);
    },
  };
}

/** Returns a text that differs after a change of a file, also where another file takes its place. */
function fingerprint(stats: Stats | undefined): string {
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
}
