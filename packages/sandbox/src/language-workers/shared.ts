import { availableParallelism } from 'node:os';
import { createLanguageWorkers, type LanguageWorkers, type OperationTable } from './pool.ts';

const MIN_WORKERS = 2;
const MAX_WORKERS = 4;

let shared: LanguageWorkers | undefined;

/**
 * Returns the language workers of this process: one pool, because tenants of all its users share the machine. `Operations` are those
 * that the caller runs, of the tables that the program of the workers has.
 */
export function languageWorkers<
  Operations extends OperationTable = Record<never, never>,
>(): LanguageWorkers<Operations> {
  const size = Math.max(MIN_WORKERS, Math.min(MAX_WORKERS, availableParallelism()));
  shared ??= createLanguageWorkers<Record<never, never>>({ size });
  return shared;
}
