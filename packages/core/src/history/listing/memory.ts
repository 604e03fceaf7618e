import { isDeepStrictEqual } from 'node:util';
import { type LocalIndex, partsOf, type RowFilter } from './execution-index.ts';
import type { IndexedRow, StoredRow } from './row.ts';

interface Held {
  readonly toolNames: readonly string[];
  readonly row: StoredRow;
  /** The parts of its text, each after a space. */
  readonly text: string;
}

/** Characters of a row's text that are searched. */
const MAX_TEXT = 4_000;

/** Creates an index in memory: for machines without SQLite. It is built again by each process. */
export function memoryIndex(): LocalIndex {
  const rows = new Map<string, Held>();
  let change = 0;
  /** The rows, newest first; undefined after a change. */
  let sorted: Held[] | undefined;
  const newestFirst = () => {
    sorted ??= [...rows.values()].sort((a, b) => (a.row.key < b.row.key ? 1 : -1));
    return sorted;
  };
  const add = ({ text, toolNames, ...row }: IndexedRow) => {
    const before = rows.get(row.id);
    if (before && isDeepStrictEqual(before.row, { ...row, change: before.row.change })) return;
    const held: Held = {
      toolNames,
      row: { ...row, change: ++change },
      text: ` ${partsOf(text.slice(0, MAX_TEXT)).join(' ')}`,
    };
    rows.set(row.id, held);
    if (!before || before.row.key !== row.key) sorted = undefined;
    else if (sorted) sorted[sorted.indexOf(before)] = held;
  };
  return {
    write(written) {
      for (const row of written) add(row);
    },
    remove(ids) {
      for (const id of ids) rows.delete(id);
      sorted = undefined;
    },
    page(filter, limit) {
      const found: StoredRow[] = [];
      for (const held of newestFirst()) {
        if (matches(held, filter)) found.push(held.row);
        if (found.length === limit) break;
      }
      return found;
    },
    count: (filter) => newestFirst().filter((held) => matches(held, filter)).length,
    changedAfter: (after, limit) =>
      [...rows.values()]
        .map(({ row }) => row)
        .filter((row) => row.change > after)
        .sort((a, b) => a.change - b.change)
        .slice(0, limit),
    lastChange: () => change,
    hasForeignChanges: () => false,
    known: (after, limit) =>
      [...rows.keys()]
        .sort()
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ id, status: rows.get(id)?.row.status })),
    close: () => rows.clear(),
  };
}

function matches({ row, text, toolNames }: Held, filter: RowFilter): boolean {
  const { id, userId, sessionId, statuses, tools, error, words, minTokens, minMs, hasQuestions, isDryRun } = filter;
  const { from, before } = filter;
  return (
    (id === undefined || row.id === id) &&
    (from === undefined || row.key >= from) &&
    (before === undefined || row.key < before) &&
    (userId === undefined || row.userId === userId) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (statuses === undefined || statuses.includes(row.status ?? 'open')) &&
    (tools === undefined || tools.some((tool) => toolNames.includes(tool))) &&
    (error === undefined || row.error?.code === error) &&
    (minTokens === undefined || tokensOf(row) >= minTokens) &&
    (minMs === undefined || (row.totalMs ?? 0) >= minMs) &&
    (!hasQuestions || row.openQuestions > 0) &&
    (!isDryRun || row.isDryRun === true) &&
    (words === undefined || words.every((word) => text.includes(` ${word}`)))
  );
}

/** Returns the tokens of the program and its output together. */
export function tokensOf({ tokens }: Pick<StoredRow, 'tokens'>): number {
  return tokens ? tokens.code + tokens.output : 0;
}
