import { columnTypes } from '../hints/columns.ts';
import type { KeyHint } from '../hints/keys.ts';

/** A cell of a row with the type of its column. */
export interface RowCell {
  readonly start: number;
  readonly end: number;
  readonly key: string;
  readonly hint: KeyHint | undefined;
}

/** Offsets of a cell; `end` is exclusive. */
interface Bounds {
  readonly start: number;
  readonly end: number;
}

const INSERT = /\bINSERT\s{1,8}INTO\s{1,8}[^\s()]{1,120}\s{0,8}\(([^()]{1,2000})\)\s{0,8}VALUES\s{0,8}/gi;
const HEADER_CELL = /<th(?:\s[^<>]{0,200})?>(?:<[a-z]{1,8}>)?\s{0,8}([^<>]{0,60}?)\s{0,8}</gi;
const DATA_CELL = /<td(?:\s[^<>]{0,200})?>\s{0,8}/gi;
const MAX_COLUMNS = 100;

/** Returns the cells of tables of HTML with a row of headers, and of `INSERT` with columns. */
export function* rowCells(text: string): Iterable<RowCell> {
  if (/insert/i.test(text)) yield* insertedCells(text);
  if (text.includes('<th') || text.includes('<TH')) yield* tableCells(text);
}

function* insertedCells(text: string): Iterable<RowCell> {
  for (const { 0: whole, 1: columns = '', index } of text.matchAll(INSERT)) {
    const names = columns.split(',').map((name) => name.replace(/["'`[\]\s]/g, ''));
    if (names.length > MAX_COLUMNS) continue;
    const type = columnTypes(names);
    let at = index + whole.length;
    while (text[at] === '(') {
      const { values, end } = tupleAt(text, at + 1);
      for (const [column, { start, end: last }] of values.entries()) {
        yield { start, end: last, key: names[column] ?? '', hint: type(column, text.slice(start, last)) };
      }
      at = end;
      while (at < text.length && /[\s,]/.test(text[at] ?? '')) at++;
    }
  }
}

/** Reads the values of one tuple; `end` is behind its bracket. */
function tupleAt(text: string, from: number): { values: Bounds[]; end: number } {
  const values: Bounds[] = [];
  let start = from;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "'") {
      const open = at;
      do at = text.indexOf("'", at + 1);
      while (at >= 0 && text[at + 1] === "'" && ++at);
      if (at < 0) return { values, end: text.length };
      values.push({ start: open + 1, end: at });
      start = -1;
    } else if (character === ',' || character === ')') {
      if (start >= 0) values.push(trimmed(text, start, at));
      if (character === ')') return { values, end: at + 1 };
      start = at + 1;
    } else if (character === '(') return { values, end: at };
  }
  return { values, end: text.length };
}

function trimmed(text: string, from: number, to: number): Bounds {
  let start = from;
  let end = to;
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  return { start, end };
}

function* tableCells(text: string): Iterable<RowCell> {
  for (const row of rowsOf(text)) {
    const { names, cells } = row;
    const type = columnTypes(names);
    for (const [column, { start, end }] of cells.entries()) {
      if (end > start) yield { start, end, key: names[column] ?? '', hint: type(column, text.slice(start, end)) };
    }
  }
}

/** Returns the rows of data with the headers before them. A row that has as many cells as its table has headers is one of it. */
function* rowsOf(text: string): Iterable<{ names: string[]; cells: Bounds[] }> {
  const lower = text.toLowerCase();
  let names: string[] = [];
  for (let at = lower.indexOf('<tr'); at >= 0; ) {
    const next = lower.indexOf('<tr', at + 3);
    const end = next < 0 ? text.length : next;
    const row = text.slice(at, end);
    if (row.includes('<th') && !row.includes('<td')) {
      names = [...row.matchAll(HEADER_CELL)].map(([, name = '']) => name);
    } else if (names.length > 1 && names.length <= MAX_COLUMNS) {
      const cells = [...row.matchAll(DATA_CELL)].map(({ 0: whole, index }) => {
        const start = at + index + whole.length;
        const close = text.indexOf('<', start);
        return trimmed(text, start, close < 0 || close > end ? end : close);
      });
      if (cells.length === names.length) yield { names, cells };
    }
    at = next;
  }
}
