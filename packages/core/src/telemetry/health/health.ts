import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { Logger } from '../log.ts';
import type { DamagedFile, DamagedFiles } from './damaged-files.ts';

/** The parts that executions need. */
export type HealthPart = 'sandbox' | 'store' | 'key' | 'dataFolder';

/** The state of a Toolwright. */
export interface Health {
  /** Whether all parts work. */
  readonly isReady: boolean;
  /** The parts that do not work, each with its error. The errors of the store, the key and the sandbox may contain paths. */
  readonly problems: readonly { readonly part: HealthPart; readonly error: ToolwrightError }[];
  /** Damaged files that were found since the start. Everything else works. */
  readonly damaged: readonly DamagedFile[];
}

/** The options of a check. */
export interface HealthOptions {
  /** Parts that are not checked, because this process does not need them. Default: none. */
  readonly without?: readonly HealthPart[];
}

export interface HealthParts {
  /** Checks of the parts. Each rejects if its part does not work. */
  readonly checks: Readonly<Record<HealthPart, () => Promise<unknown>>>;
  readonly damaged: DamagedFiles;
  readonly logger: Logger;
}

/** Milliseconds that a result is valid for, so that frequent probes cost nothing. */
const VALID_MS = 500;
/** Milliseconds after which a check has failed, for instance on a disk that hangs. */
const CHECK_TIMEOUT_MS = 2_000;
const TICK_MS = 100;

/** Creates the method `health`. It logs each part that stops or starts working. */
export function createHealth({ checks, damaged, logger }: HealthParts): (options?: HealthOptions) => Promise<Health> {
  const parts = (Object.keys(checks) as HealthPart[]).map(
    (part) => [part, watchPart(part, checks[part], logger)] as const,
  );
  return async ({ without = [] } = {}) => {
    const wanted = parts.filter(([part]) => !without.includes(part));
    const found = await Promise.all(wanted.map(([, check]) => check()));
    const problems = found.filter((problem) => problem !== undefined);
    return { isReady: problems.length === 0, problems, damaged: damaged.list() };
  };
}

/** Returns a function that runs one check, at most once at a time and once per {@link VALID_MS}. */
function watchPart(part: HealthPart, check: () => Promise<unknown>, logger: HealthParts['logger']) {
  let running: Promise<ToolwrightError | undefined> | undefined;
  let isBroken = false;
  const run = async (): Promise<ToolwrightError | undefined> => {
    const error = await check().then(() => undefined, asToolwrightError);
    void sleep(VALID_MS, undefined, { ref: false }).then(() => {
      running = undefined;
    });
    return error;
  };
  return async () => {
    running ??= run();
    const error = await Promise.race([running, timeout(part)]);
    if (error && !isBroken) logger.error({ part, err: error }, 'not ready');
    if (!error && isBroken) logger.info({ part }, 'ready again');
    isBroken = error !== undefined;
    return error && { part, error };
  };
}

/** Resolves after the time of a check. A busy event loop reads its answer late: no tick counts for more than its own time. */
async function timeout(part: HealthPart): Promise<ToolwrightError> {
  for (let leftMs = CHECK_TIMEOUT_MS; leftMs > 0; leftMs -= TICK_MS) await sleep(TICK_MS, undefined, { ref: false });
  return new ToolwrightError('BUSY', `The check of the part ${part} did not end within ${CHECK_TIMEOUT_MS} ms.`);
}

function asToolwrightError(error: unknown): ToolwrightError {
  return error instanceof ToolwrightError ? error : new ToolwrightError('INTERNAL', String(error), { cause: error });
}
