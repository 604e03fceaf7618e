import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Logger, OnSampling, Toolwright, ToolwrightOptions } from '@toolwright/core';
import { messageOf } from '@toolwright/core/errors';
import { UntrustedFilesError } from './project/prepare.ts';
import { redactedError } from './redacted.ts';

/** Time for a server to close after a signal, in milliseconds. */
const MAX_CLOSING_MS = 5_000;
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

interface WatchOptions {
  /** The configuration file. Without one, nothing is watched. */
  readonly file: string | undefined;
  readonly logger: Logger;
  /** Milliseconds between two looks at the file. */
  readonly intervalMs?: number;
  /** Reloads at SIGHUP too. Default: unless a terminal may send it when its window closes. */
  readonly hangup?: boolean;
}

/** The file is looked at, because a file system of a container or of another machine reports no changes. */
const INTERVAL_MS = 1_000;
/** Milliseconds without a change before the file is read: some editors write in several steps. */
const SETTLED_MS = 100;

/** Opens a Toolwright that logs errors only. Commands print the warnings. */
async function openToolwright(options: ToolwrightOptions): Promise<Toolwright> {
  const { checkDataFolder, loadConfig, parseConfig } = await import('@toolwright/core/config');
  const { dataDir } = options.config === undefined ? parseConfig({}) : await loadConfig({ path: options.config });
  const [{ createToolwright, stderrLogger }] = await Promise.all([
    import('@toolwright/core'),
    checkDataFolder(dataDir),
  ]);
  // Without a configuration file, the library deletes nothing; the commands have the default of the configuration.
  const retention = options.config === undefined ? { retentionDays: parseConfig({}).retentionDays } : {};
  const logger = stderrLogger(process.env.TOOLWRIGHT_LOG ?? 'error');
  return createToolwright({ logger, ...retention, onSampling: samplerOfCommands, ...options });
}

/** Answers servers with the models of the environment. They are loaded with the first request. */
const samplerOfCommands: OnSampling = async (request) => {
  const { modelSampler, openModels } = await import('@toolwright/server');
  return modelSampler(openModels({ model: request.model }))(request);
};

/**
 * Opens a Toolwright that serves others: its warnings are in the log, and it follows changes of its configuration file. `mayReload`:
 * whether the user trusts the file as it is now.
 */
export async function openServing(options: ToolwrightOptions, mayReload: () => Promise<boolean>): Promise<Toolwright> {
  const { stderrLogger } = await import('@toolwright/core');
  const logger = stderrLogger();
  const toolwright = await openToolwright({ ...options, logger });
  const reload: Toolwright['reload'] = async () => {
    if (!(await mayReload())) throw changedFile(options.config);
    return toolwright.reload();
  };
  const watching = watchConfiguration(reload, { file: options.config, logger });
  const close: Toolwright['close'] = (ending) => {
    watching[Symbol.dispose]();
    return toolwright.close(ending);
  };
  return { ...toolwright, reload, close, [Symbol.asyncDispose]: () => close() };
}

function changedFile(file = ''): UntrustedFilesError {
  const fix = `Run "toolwright doctor" in its folder at a terminal to look at it, or start with --config ${file}.`;
  return new UntrustedFilesError(`${file} has changed, and you have not accepted the change.`, fix);
}

/** Opens a Toolwright for one call of `use` and closes it, also after an interrupt. Most commands run no program. */
export async function withToolwright(
  options: ToolwrightOptions,
  use: (toolwright: Toolwright, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  await using toolwright = await openToolwright({ startSandbox: false, ...options });
  const interrupted = new AbortController();
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      interrupted.abort();
      const exit = () => process.exit(SIGNAL_EXIT[signal]);
      setTimeout(exit, MAX_CLOSING_MS).unref();
      void toolwright.close().finally(exit);
    });
  }
  try {
    return await use(toolwright, interrupted.signal);
  } catch (error) {
    throw await redactedError(error, toolwright);
  }
}

/** The end of a server. */
export interface Endings {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly end: AbortSignal;
  /** Aborts at the second one. */
  readonly now: AbortSignal;
  /** Notes the part of the server that starts or closes now. A message names it if it hangs. */
  at(part: string): void;
}

/** Time for a server to close after its running work, in milliseconds. A database that does not answer takes 10 s of it. */
const SERVER_CLOSING_MS = 20_000;

/**
 * Returns the signals for the end of a server. A part that hangs does not keep the process. It ends `closingMs` after the time for its
 * running work, or 5 s after the second signal. `report` receives the part that hung.
 */
export function endings(
  drainMs: number,
  report: (message: string) => void,
  closingMs: number = SERVER_CLOSING_MS,
): Endings {
  const [end, now] = [new AbortController(), new AbortController()];
  let current: string | undefined;
  const endAfter = (ms: number, signal: keyof typeof SIGNAL_EXIT) => {
    setTimeout(() => {
      report(`error: ${current ?? 'the start'} did not end within ${ms} ms after ${signal}. The process ends now.`);
      process.exit(SIGNAL_EXIT[signal]);
    }, ms).unref();
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (end.signal.aborted) {
        now.abort();
        return endAfter(MAX_CLOSING_MS, signal);
      }
      // Nothing runs before the server has started.
      endAfter(current === undefined ? closingMs : drainMs + closingMs, signal);
      end.abort();
    });
  }
  return {
    end: end.signal,
    now: now.signal,
    at(part) {
      current = part;
    },
  };
}

/** Returns a signal that aborts at the first SIGINT or SIGTERM; the process ends at the latest 5 s later. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      interrupted.abort();
      setTimeout(() => process.exit(SIGNAL_EXIT[signal]), MAX_CLOSING_MS).unref();
    });
  }
  return interrupted.signal;
}

/**
 * Reloads the configuration of a running Toolwright when its file changes, and at SIGHUP. An invalid file changes nothing and is
 * logged with the place of each problem. So does one that the user has not accepted, until then.
 */
export function watchConfiguration(load: Toolwright['reload'], options: WatchOptions): Disposable {
  const { file, logger, intervalMs = INTERVAL_MS, hangup = !process.stdin.isTTY } = options;
  if (file === undefined) return { [Symbol.dispose]: () => undefined };
  let settling: NodeJS.Timeout | undefined;
  const reload = (isAgain = false) =>
    void load().then(
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
