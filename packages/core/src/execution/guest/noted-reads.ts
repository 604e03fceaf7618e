import type { Operation } from '@toolwright/sandbox/internal';
import type { ExecutionOrigins } from '../../config/policy/origins/origins.ts';

/** Operations that read data of which nothing is known. */
const READS: ReadonlySet<string> = new Set(['execution', 'skill', 'skillText', 'module', 'resources']);

/** Returns operations that note each read of data of which nothing is known. */
export function notingReads(
  operations: Readonly<Record<string, Operation>>,
  origins: Pick<ExecutionOrigins, 'sawOther'> | undefined,
): Readonly<Record<string, Operation>> {
  if (origins === undefined) return operations;
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]): [string, Operation] => [
      name,
      READS.has(name)
        ? async (...parameters) => {
            await origins.sawOther();
            return operation(...parameters);
          }
        : operation,
    ]),
  );
}
