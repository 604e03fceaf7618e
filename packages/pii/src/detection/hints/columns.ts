import { keyFacts } from './key-facts.ts';
import { type KeyHint, keyHint } from './keys.ts';
import { addEntry, isNameOf, noEvidence } from './object-evidence.ts';

/** The most columns of a table. */
export const MAX_COLUMNS = 100;
const MAX_NAME_CHARS = 64;
const NAME = /^\s*[\p{L}_][\p{L}\p{M}\p{N}_ ./()#:'-]{0,60}\s*$/u;
const COLUMN_LISTS = new Set('columns cols headers header fields columnnames columnheaders fieldnames'.split(' '));
const ROW_LISTS = new Set('rows data values records body items tuples'.split(' '));
/** Keys of objects that contain the list of columns. */
const DESCRIPTIONS = new Set('schema meta metadata'.split(' '));
/** Keys for the name of a column, the best one first. */
const COLUMN_NAMES: readonly string[] = ['name', 'field', 'key', 'title', 'header', 'label', 'colName', 'columnName'];

/** Checks whether the value of a key lists columns: `columns`, `column_names`. */
export function listsColumns(key: string): boolean {
  return key.length < MAX_NAME_CHARS && COLUMN_LISTS.has(plain(key));
}

/** Checks whether an object with this key may describe a table. */
export function mayListColumns(key: string): boolean {
  return key === 'majorDimension' || describesColumns(key) || listsColumns(key);
}

/** Checks whether the value of a key lists rows. */
export function listsRows(key: string): boolean {
  return key.length < MAX_NAME_CHARS && ROW_LISTS.has(plain(key));
}

/** Checks whether the value of a key may contain the list of columns: `schema`. */
export function describesColumns(key: string): boolean {
  return DESCRIPTIONS.has(key);
}

/** Returns the rank of a key for the name of a column, the best first, or -1. */
export function columnNameRank(key: string): number {
  return COLUMN_NAMES.indexOf(key);
}

/** Checks whether texts are the names of columns: short, without values, and a known key among them. */
export function areColumns(names: readonly unknown[]): names is string[] {
  if (names.length === 0 || names.length > MAX_COLUMNS) return false;
  if (!names.every((name) => typeof name === 'string' && name.length < MAX_NAME_CHARS && NAME.test(name))) return false;
  return names.some((name) => keyHint(String(name)) !== undefined);
}

/** Checks whether the first row of a table are the names of its columns. */
export function isHeaderRow(row: readonly unknown[]): row is string[] {
  return row.length > 1 && areColumns(row);
}

/** Returns the name of a column: a text, or the `name`, `field` or `title` of an object. */
export function columnName(column: unknown): string | undefined {
  if (typeof column === 'string') return column;
  if (typeof column !== 'object' || column === null) return undefined;
  for (const key of COLUMN_NAMES) {
    const name: unknown = Object.hasOwn(column, key) ? Reflect.get(column, key) : undefined;
    if (typeof name === 'string') return name;
  }
  return undefined;
}

/** Returns the type of a cell by its column and its text. The other columns decide about keys such as `name`. */
export function columnTypes(header: readonly string[]): (column: number, text: string) => KeyHint | undefined {
  const evidence = noEvidence();
  for (const name of header) addEntry(evidence, keyFacts(name), undefined);
  const hints = header.map((name) => inTable(keyHint(name)));
  return (column, text) => {
    const hint = hints[column];
    if (hint !== 'BARE_NAME') return hint;
    return isNameOf(text, keyFacts(header[column] ?? ''), 0, evidence) ? 'NAME' : undefined;
  };
}

function inTable(hint: KeyHint | undefined): KeyHint | undefined {
  if (hint === 'ADDRESS_PART') return 'OTHER';
  return hint === 'NEUTRAL' ? undefined : hint;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}
