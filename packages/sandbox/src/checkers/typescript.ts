import { isKnownError, messageOf } from '../errors.ts';
import { languageWorkers } from '../language-workers/shared.ts';
import type { Checker, CheckOptions, CheckVerdict, ProgramTypes } from './checker.ts';
import type { CheckOperations } from './operations.ts';
import { collectTypes } from './typescript/reachable.ts';

/** Milliseconds of a check: the wait for a worker, reading the program, and the compiler. The lists of tools do not count. */
const CHECK_TIMEOUT_MS = 2_000;
/** More milliseconds for a check while no compiler of this process has answered: it starts one. */
const START_MS = 4_000;
/** The compiler and the wait for a worker end so much earlier: their ends say more than the end of the time. */
const MARGIN_MS = 100;
/** Milliseconds after which a worker that checks is ended, if it does not end the compiler itself. */
const WORKER_TIMEOUT_MS = 15_000;
/** Matches every program that can have a side effect. */
const REACHES_OUT = /\b(?:callMCPTool|run_skill|import|servers)\b/;

/** Whether a compiler has answered since a worker or a compiler was ended. All checkers of the process share the workers. */
let isStarted = false;

/**
 * Creates a checker for TypeScript and JavaScript. It uses the native compiler in the language workers, which read the program
 * and the files that it imports. The next check after a crash or a timeout starts the compiler again. After the time limit, the
 * program is skipped; a compiler that is starting goes on, for the next check.
 */
export function typescriptChecker(options: { readonly timeoutMs?: number } = {}): Checker {
  const { timeoutMs = CHECK_TIMEOUT_MS } = options;
  const workers = languageWorkers<CheckOperations>();
  let missing: string | undefined;
  let closed = false;

  const run = async (source: string, types: ProgramTypes, tenant: string, time: TimeLimit): Promise<CheckVerdict> => {
    const limits = () => ({ tenant, maxWaitMs: Math.max(1, time.remainingMs() - MARGIN_MS) });
    const importsOf = (text: string) => workers.run('typescriptImports', { source: text }, limits());
    const { files, open, unknownTools } = await collectTypes(source, pausing(types, time), importsOf);
    const program = { source, files: [...files], open: [...open], unknownTools: [...unknownTools] };
    const request = { ...program, timeoutMs: timeoutMs - MARGIN_MS };
    const answer = await workers.run('typescriptCheck', request, { ...limits(), timeoutMs: WORKER_TIMEOUT_MS });
    isStarted = 'problems' in answer;
    if ('problems' in answer) return answer;
    if (answer.skipped === 'missing') missing = answer.reason;
    // A tenant whose programs take the compiler long must not delay the programs of others.
    if (answer.skipped === 'time') workers.limit(tenant);
    return { skipped: answer.reason };
  };

  return {
    isWorthIt: (source) => REACHES_OUT.test(source),
    async check(source, types, { signal, tenant = '' }: CheckOptions = {}) {
      if (missing !== undefined) return { skipped: missing };
      if (closed) return { skipped: 'the checker is closed' };
      try {
        const time = startTimeLimit(() => (isStarted ? timeoutMs : timeoutMs + START_MS));
        return await unlessAborted(time.within(run(source, types, tenant, time)), signal);
      } catch (error) {
        if (error instanceof TimeLimitReached) return { skipped: TOOK_TOO_LONG };
        if (isKnownError(error) && error.code === 'SOURCE_TOO_COMPLEX') isStarted = false;
        return { skipped: isKnownError(error) ? (SKIPPED[error.code] ?? error.message) : messageOf(error) };
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
    },
  };
}

const TOOK_TOO_LONG = 'it took too long';
const SKIPPED: Readonly<Record<string, string>> = {
  SOURCE_TOO_COMPLEX: 'it is too complex',
  LANGUAGE_SERVICE_BUSY: 'too many programs are checked at once',
};

/** Returns types whose reading does not count: the program itself waits for the same lists of tools. */
function pausing(types: ProgramTypes, time: TimeLimit): ProgramTypes {
  return {
    server: (slug) => time.paused(() => types.server(slug)),
    tools: (names) => time.paused(() => types.tools(names)),
    packageTypes: types.packageTypes,
    file: types.file,
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('cancelled'));
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    aborted.catch(() => undefined);
  }
}

/** The time of one check: it runs from the start, and stands still while `paused` work runs. */
export interface TimeLimit {
  /** The remaining milliseconds; 0 after the limit. */
  remainingMs(): number;
  /** Runs work that does not count. */
  paused<T>(work: () => Promise<T>): Promise<T>;
  /** Runs the check. Rejects with {@link TimeLimitReached} after the limit; the work goes on, and its result is ignored. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** A check that has used its time. */
export class TimeLimitReached extends Error {}

/** Starts the time of a check. `limitMs` is asked again when it is over: the limit may grow while a compiler starts. */
export function startTimeLimit(limitMs: () => number): TimeLimit {
  let since = performance.now();
  let usedMs = 0;
  let pauses = 0;
  const remainingMs = () => Math.max(0, limitMs() - usedMs - (pauses > 0 ? 0 : performance.now() - since));
  return {
    remainingMs,
    async paused(work) {
      if (pauses++ === 0) usedMs += performance.now() - since;
      try {
        return await work();
      } finally {
        if (--pauses === 0) since = performance.now();
      }
    },
    async within(work) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const look = () => {
          const left = remainingMs();
          if (left <= 0) reject(new TimeLimitReached());
          else timer = setTimeout(look, left);
        };
        look();
      });
      work.catch(() => undefined);
      try {
        return await Promise.race([work, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
