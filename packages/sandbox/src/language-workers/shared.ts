import { availableParallelism } from 'node:os';
import { createLanguageWorkers, type LanguageWorkers } from './pool.ts';

const MIN_WORKERS = 2;
const MAX_WORKERS = 4;

let shared: LanguageWorkers | undefined;

/** Returns the language workers of this process: one pool, because tenants of all its users share the machine. */
export function languageWorkers(): LanguageWorkers {
  const size = Math.max(MIN_WORKERS, Math.min(MAX_WORKERS, availableParallelism()));
  shared ??= createLanguageWorkers({ size });
  return shared;
}
