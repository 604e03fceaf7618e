import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { SandboxError } from '../errors.ts';

/** Errors of the system for a process, or a machine, that has no free file descriptor. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
const MAX_CAUSES = 5;

let known: { readonly limit: number | undefined } | undefined;

/**
 * Returns how many files, sockets and pipes this process may have open at once. Returns `undefined` where the system has no such
 * limit. It is read once: reading it takes 10 ms.
 */
export function descriptorLimit(): number | undefined {
  known ??= { limit: readLimit() };
  return known.limit;
}

/** Returns whether an error, or one of its causes, is a lack of file descriptors. */
export function isDescriptorShortage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (SHORTAGES.has((current as NodeJS.ErrnoException).code)) return true;
    current = current.cause;
  }
  return false;
}

/** Returns the error `BUSY` of a process without a free file descriptor. */
export function descriptorShortage(cause?: unknown): SandboxError {
  const limit = descriptorLimit();
  const bound = limit === undefined ? '' : `: the limit is ${limit.toLocaleString('en')}`;
  const message = `This process has no free file descriptor${bound}. Try again in some seconds. If it stays so, raise the limit (ulimit -n, LimitNOFILE) and restart.`;
  return new SandboxError('BUSY', message, { cause, details: { resource: 'descriptors', limit } });
}

/** Raises `BUSY` unless this process may open some more files now. */
export function requireDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isDescriptorShortage(error)) throw descriptorShortage(error);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Runs a function. Raises `BUSY` instead of an error of the system about a lack of file descriptors. */
export function withDescriptors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isDescriptorShortage(error) && !(error instanceof SandboxError) ? descriptorShortage(error) : error;
  }
}

/** A report needs no descriptor, unlike the files and programs that show limits. */
function readLimit(): number | undefined {
  // The types of Node lack it. Otherwise, a report looks up the names of all addresses that this process is connected to.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  report.excludeNetwork = excludeNetwork;
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isInteger(limit) ? limit : undefined;
}
