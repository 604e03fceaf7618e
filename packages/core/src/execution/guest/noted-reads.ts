import type { Operation } from '@toolwright/sandbox/internal';
import type { ExecutionOrigins } from '../../config/policy/origins/origins.ts';

/** The members of the journal's start that have the facts about the author. */
export interface AuthorEntry {
  readonly sealedRequest?: string;
  readonly isOwnProgram?: true;
}

/** The origins of the values of one execution, and the members of its journal for them. */
export interface ProgramOrigins extends ExecutionOrigins {
  readonly entry: AuthorEntry;
  /** Notes that the author may see the files of the session. Await it before and after the program. */
  noteFiles(): Promise<void>;
}

/** Operations that read data of which nothing is known. */
const READS: ReadonlySet<string> = new Set(['execution', 'skill', 'skillText', 'module', 'resources']);

/** Returns operations that note each read of data of which nothing is known. */
export function notingReads(
  operations: Readonly<Record<string, Operation>>,
  origins: ExecutionOrigins | undefined,
): Readonly<Record<string, Operation>> {
  if (origins === undefined) return operations;
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]): [string, Operation] => [
      name,
      READS.has(name)
        ? async (...parameters) => {
            await (isOfTools(name, parameters) ? origins.sawOther() : origins.readOther());
            return operation(...parameters);
          }
        : operation,
    ]),
  );
}

/** The modules of servers have names and descriptions only. All else may have data of other sessions. */
function isOfTools(name: string, [path]: readonly unknown[]): boolean {
  return name === 'module' && !String(path).includes('skills/');
}
