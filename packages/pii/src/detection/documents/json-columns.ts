import {
  areColumns,
  columnNameRank,
  describesColumns,
  isHeaderRow,
  listsColumns,
  listsRows,
  MAX_COLUMNS,
} from '../hints/columns.ts';
import { type KeyFacts, keyFacts } from '../hints/key-facts.ts';

/** The facts of an open object or array about the table that it contains or is a part of. */
export interface TablePart {
  /** `rows`: a list of rows. `row`: the cells of one row. `cell`: a cell of BigQuery, `{v: …}`. */
  readonly of: 'rows' | 'row' | 'cell' | undefined;
  /** `columns`: the list of columns. `column`: the object of one. `header`: the first row of a list. */
  readonly lists: 'columns' | 'column' | 'header' | undefined;
  /** Whether the lists in this value are columns, with their keys first. */
  transposed: boolean;
  /** The columns of the rows in this value. */
  columns: readonly KeyFacts[] | undefined;
  /** The names of columns that were read; undefined after another value. */
  names: string[] | undefined;
  /** The rank of the key of the name that was read. */
  rank: number;
  /** The number of values of an array that were opened. */
  count: number;
}

/** Returns the facts of a new object or array, by its key and those of its parent. */
export function openTable(isArray: boolean, key: string, parent?: TablePart, inArray = false): TablePart {
  const of = positionOf(isArray, key, parent, inArray);
  const transposed = parent?.transposed === true && isArray && (inArray || listsRows(key));
  const isFirst = inArray && parent?.count === 1 && of === undefined && !transposed;
  let lists: TablePart['lists'];
  if (!isArray) lists = inArray && parent?.lists === 'columns' ? 'column' : undefined;
  else if (inArray) lists = isFirst ? 'header' : undefined;
  else lists = listsColumns(key) ? 'columns' : undefined;
  const columns = of === undefined ? undefined : parent?.columns;
  return { of, lists, transposed, columns, names: lists ? [] : undefined, rank: Number.POSITIVE_INFINITY, count: 0 };
}

function positionOf(isArray: boolean, key: string, parent: TablePart | undefined, inArray: boolean): TablePart['of'] {
  if (parent?.columns === undefined || parent.of === 'cell') return undefined;
  if (parent.of === 'row') {
    if (inArray) return isArray ? undefined : 'cell';
    return isArray && key === 'f' ? 'row' : undefined;
  }
  if (inArray) return 'row';
  return isArray && listsRows(key) ? 'rows' : undefined;
}

/** Adds a text of a list of columns, or undefined for another value. */
export function addToTable(table: TablePart, key: string, text: string | undefined): void {
  if (table.lists === 'column') {
    const rank = columnNameRank(key);
    if (text === undefined || rank < 0 || rank > table.rank) return;
    table.rank = rank;
    table.names = [text];
  } else if (table.lists !== undefined) {
    if (text === undefined || (table.names?.length ?? 0) >= MAX_COLUMNS) table.names = undefined;
    else table.names?.push(text);
  } else if (table.transposed && table.count === 1 && text !== undefined) table.columns = [keyFacts(text)];
  else if (key === 'majorDimension' && text === 'COLUMNS') table.transposed = true;
}

/** Adds the columns that a closed value lists to its parent. */
export function closeTable({ lists, names, of, columns }: TablePart, key: string, parent: TablePart): void {
  if (lists === 'column') {
    parent.names?.push(names?.[0] ?? '');
    return;
  }
  const listed = names?.filter((name) => name !== '') ?? [];
  if (lists === 'columns' ? areColumns(listed) : lists === 'header' && isHeaderRow(listed)) {
    parent.columns ??= names?.map((name) => keyFacts(name));
  } else if (of === undefined && describesColumns(key)) parent.columns ??= columns;
}

/** Returns the column of the last opened cell; undefined outside of rows. */
export function columnOfCell({ of, columns, transposed, count }: TablePart): KeyFacts | undefined {
  if (transposed) return count > 1 ? columns?.[0] : undefined;
  return of === 'row' ? columns?.[count - 1] : undefined;
}
