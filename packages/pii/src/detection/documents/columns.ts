import {
  areColumns,
  columnName,
  describesColumns,
  isHeaderRow,
  listsColumns,
  listsRows,
  MAX_COLUMNS,
} from '../hints/columns.ts';

/** How the cells of a list of rows get their keys. */
export interface Columns {
  /** The keys of the cells; those of the rows of a list. */
  readonly names: readonly string[];
  /** `row`: the value is one row. `rows`: it is a list of rows. `columns`: it is a list of columns. */
  readonly of: 'row' | 'rows' | 'columns';
}

const SHEET_COLUMNS = 'COLUMNS';

/** Returns the columns of the rows in an object such as `{columns, rows}`; undefined for other objects. */
export function columnsIn(node: object, names: readonly string[]): Columns | undefined {
  let listed: readonly unknown[] | undefined;
  for (const name of names) {
    if (name === 'majorDimension' && Reflect.get(node, name) === SHEET_COLUMNS) return { names: [], of: 'columns' };
    if (listed) continue;
    if (listsColumns(name)) listed = asList(Reflect.get(node, name));
    else if (describesColumns(name)) listed = columnsOfSchema(Reflect.get(node, name));
  }
  return listed && namedColumns(listed);
}

/** Returns the columns of a value from those of its object: those of its list of rows. */
export function columnsOfEntry(key: string, columns: Columns | undefined): Columns | undefined {
  if (columns === undefined) return undefined;
  return columns.of === 'row' ? (key === 'f' ? columns : undefined) : listsRows(key) ? columns : undefined;
}

/** Returns the columns of a list of rows: those of its object, or its first row. */
export function columnsOfList(rows: readonly unknown[], columns: Columns | undefined): Columns | undefined {
  if (columns?.of === 'columns') {
    return { names: rows.slice(0, MAX_COLUMNS).map((column) => String(asList(column)?.[0] ?? '')), of: 'columns' };
  }
  if (columns) return { names: columns.names, of: 'row' };
  const [first, second] = rows;
  if (!Array.isArray(first) || !Array.isArray(second) || !isHeaderRow(first)) return undefined;
  return { names: first, of: 'row' };
}

/** Returns the value of a cell of BigQuery, `{v: …}`, or the cell itself. */
export function cellValue(cell: unknown): unknown {
  return typeof cell === 'object' && cell !== null && Object.hasOwn(cell, 'v') ? Reflect.get(cell, 'v') : cell;
}

function columnsOfSchema(schema: unknown): readonly unknown[] | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  return asList(Array.isArray(schema) ? schema : (Reflect.get(schema, 'fields') ?? Reflect.get(schema, 'columns')));
}

function namedColumns(listed: readonly unknown[]): Columns | undefined {
  if (listed.length > MAX_COLUMNS) return undefined;
  const names = listed.map((column) => columnName(column) ?? '');
  return areColumns(names.filter((name) => name !== '')) ? { names, of: 'rows' } : undefined;
}

function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
