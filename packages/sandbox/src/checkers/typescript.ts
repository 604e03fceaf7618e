import { isKnownError, messageOf } from '../errors.ts';
import { languageWorkers } from '../language-workers/shared.ts';
import type { Checker, CheckOptions, CheckVerdict, ProgramTypes } from './checker.ts';
import { collectTypes } from './typescript/reachable.ts';

/** Milliseconds that the compiler may take for a program. */
const CHECK_TIMEOUT_MS = 2_000;
/** Milliseconds after which a worker that checks is ended: the start of the compiler, and reading the program. */
const WORKER_TIMEOUT_MS = 15_000;
/** Milliseconds that a check waits for a worker. A program runs without a check rather than wait longer. */
const MAX_WAIT_MS = 5_000;
/** Matches every program that can have a side effect. */
const REACHES_OUT = /\b(?:callMCPTool|run_skill|import|servers)\b/;

/**
 * Creates a checker for TypeScript and JavaScript. It uses the native compiler in the language workers, which read the program
 * and the files that it imports. The next check after a crash or a timeout starts the compiler again.
 */
export function typescriptChecker(options: { readonly timeoutMs?: number } = {}): Checker {
  const { timeoutMs = CHECK_TIMEOUT_MS } = options;
  const workers = languageWorkers();
  let missing: string | undefined;
  let closed = false;

  const run = async (source: string, types: ProgramTypes, tenant: string): Promise<CheckVerdict> => {
    const importsOf = (text: string) => workers.run('typescriptImports', { source: text }, { tenant });
    const { files, open, unknownTools } = await collectTypes(source, types, importsOf);
    const request = { source, files: [...files], open: [...open], unknownTools: [...unknownTools], timeoutMs };
    const limits = { tenant, timeoutMs: WORKER_TIMEOUT_MS, maxWaitMs: MAX_WAIT_MS };
    const answer = await workers.run('typescriptCheck', request, limits);
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
        return await unlessAborted(run(source, types, tenant), signal);
      } catch (error) {
        return { skipped: isKnownError(error) ? (SKIPPED[error.code] ?? error.message) : messageOf(error) };
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
    },
  };
}

const SKIPPED: Readonly<Record<string, string>> = {
  SOURCE_TOO_COMPLEX: 'it is too complex',
  LANGUAGE_SERVICE_BUSY: 'too many programs are checked at once',
};

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
