import { ToolwrightError } from '@toolwright/connectors/errors';
import { errnoOf, hasNoInodes, isDiskShort, isUncreatable } from './data-folder/disk.ts';

export {
  type ErrorCode,
  type ErrorKind,
  errorKind,
  isComplexityError,
  isErrorCode,
  messageOf,
  ToolwrightError,
} from '@toolwright/connectors/errors';
export { hasNoInodes, isDiskShort, isUncreatable };

const DISK_FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
/** `SQLITE_FULL` in the errors of Node's own SQLite. */
const SQLITE_FULL = 13;
const MAX_CAUSES = 5;

/** Returns whether a full disk or quota caused the error: `details.errno` of the library or `code` of Node, in any cause. */
export function isDiskFull(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    const { errcode } = current as NodeJS.ErrnoException & { errcode?: unknown };
    const code = errnoOf(current);
    if (DISK_FULL.has(code) || (code === 'ERR_SQLITE_ERROR' && errcode === SQLITE_FULL)) return true;
    if (current instanceof ToolwrightError && DISK_FULL.has(current.details.errno)) return true;
    current = current.cause;
  }
  return false;
}
