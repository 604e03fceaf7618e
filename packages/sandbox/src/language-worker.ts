// The program of a language worker. Its parent sends one request at a time. It parses texts and never evaluates them.
import { checkOperations } from './checkers/operations.ts';
import { messageOf, SandboxError } from './errors.ts';
import type { WorkerAnswer, WorkerRequest } from './language-workers/worker.ts';
import { languageOperations } from './languages/operations.ts';

const operations = { ...languageOperations, ...checkOperations };

/** esbuild works in a process of its own, which a hostile text can end. This process then ends too and is replaced. */
const ENDED_COMPILER = /\bservice (?:was stopped|is no longer running)|\bEPIPE\b/;

async function answer({ operation, input }: WorkerRequest): Promise<WorkerAnswer> {
  try {
    const work = operations[operation as keyof typeof operations] as (input: unknown) => unknown;
    return { value: await work(input) };
  } catch (error) {
    if (error instanceof SandboxError) {
      const { code, message, details } = error;
      return { error: { code, message, details } };
    }
    if (error instanceof RangeError) return { tooComplex: error.message };
    if (ENDED_COMPILER.test(messageOf(error))) process.exit(1);
    return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', async (request: WorkerRequest) => {
  process.send?.(await answer(request));
});
process.once('disconnect', () => process.exit());
process.send?.({ ready: true });
