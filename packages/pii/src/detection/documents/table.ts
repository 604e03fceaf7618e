import { columnTypes } from '../hints/columns.ts';
import { type KeyHint, keyHint } from '../hints/keys.ts';

/** A cell of a table, with the key and type of its header. */
export interface Cell {
  readonly start: number;
  readonly end: number;
  readonly key: string;
  readonly hint: KeyHint | undefined;
}

const SEPARATORS = [',', ';', '\t', '|'] as const;
const HEADER_CELL = /^\s*"?[\p{L}_][\p{L}\p{M}\p{N}_ ./()#-]{0,40}"?\s*$/u;
const MAX_HEADER_CHARS = 2_000;
const MAX_COLUMNS = 100;

/**
 * Returns the cells of a table with a header line (CSV, TSV, `|`), or undefined for other texts. A table has names only in
 * its first line, a known key among them, and as many cells in its second line.
 */
export function tableCells(text: string): Iterable<Cell> | undefined {
  const end = text.indexOf('\n');
  if (end < 3 || end > MAX_HEADER_CHARS) return undefined;
  const line = text.slice(0, end);
  for (const separator of SEPARATORS) {
    const names = line.split(separator);
    if (names.length < 2 || names.length > MAX_COLUMNS) continue;
    if (!names.every((name) => HEADER_CELL.test(name) || (separator === '|' && name.trim() === ''))) continue;
    const header = names.map((name) => name.trim().replace(/^"|"$/g, ''));
    if (!header.some((name) => keyHint(name) !== undefined)) continue;
    if (
      countCells(text, end + 1, separator, names.length + 1) === names.length &&
      !isList(text, end + 1, separator, header)
    )
      return rows(text, end + 1, separator, header);
  }
  return undefined;
}

/** Checks for lines of a key and its value: the second line begins with a known key, too. */
function isList(text: string, from: number, separator: string, header: readonly string[]): boolean {
  if (header.filter((name) => name !== '').length !== 2) return false;
  for (const { start, end } of cellsOf(text, from, separator)) {
    if (end > start) return keyHint(text.slice(start, end).trim()) !== undefined;
  }
  return false;
}

/** Returns the number of cells in a line, at most `most`. */
function countCells(text: string, from: number, separator: string, most: number): number {
  let count = 0;
  for (const _cell of cellsOf(text, from, separator)) if (++count === most) break;
  return count;
}

function* rows(text: string, from: number, separator: string, header: readonly string[]): Iterable<Cell> {
  const type = columnTypes(header);
  for (let at = from; at < text.length; ) {
    let column = 0;
    for (const { start, end, next } of cellsOf(text, at, separator)) {
      const key = header[column] ?? '';
      yield { start, end, key, hint: type(column, text.slice(start, end)) };
      column++;
      at = next;
    }
  }
}

/** Returns the cells of one line. Quoted cells may contain separators and line ends. `next` is the start of the next line. */
function* cellsOf(
  text: string,
  from: number,
  separator: string,
): Iterable<{ start: number; end: number; next: number }> {
  let at = from;
  for (;;) {
    let start = at;
    let end: number;
    if (text[at] === '"') {
      start = at + 1;
      end = text.indexOf('"', start);
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
      if (end < 0) end = text.length;
      at = Math.min(end + 1, text.length);
    } else {
      while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
      end = text[at - 1] === '\r' && at > start ? at - 1 : at;
    }
    if (text[at] === '\r') at++;
    const more = text[at] === separator;
    const next = at + 1;
    yield { start, end, next };
    if (!more) return;
    at = next;
  }
}
