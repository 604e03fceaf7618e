import { visibleText } from '@toolwright/core/command';

/** Returns text of others as a part of one line: it cannot start a line that looks like one of Toolwright. */
export function asLine(text: string): string {
  return visibleText(text).replace(/[\t\n\r]/g, (found) => JSON.stringify(found).slice(1, -1));
}
