import { describe, expect, it } from 'vitest';
import { detectText } from './text.ts';
import { detectValue } from './value.ts';

const HEADER = ['id', 'name', 'email', 'phone1', 'ssn2'];
const ROW = [7, 'Ada Lovelace', 'ada@lovelace.org', '94 72 79 16', '536904399'];
const FOUND = ['NAME Ada Lovelace', 'EMAIL ada@lovelace.org', 'PHONE 94 72 79 16', 'SSN 536904399'];
const SHEET = { range: 'A1:E9', majorDimension: 'ROWS', values: [HEADER, ROW] };
const COLUMNS = HEADER.map((name, at) => [name, ROW[at]]);

const TABLES: readonly (readonly [string, unknown])[] = [
  ['columns and rows', { columns: HEADER, rows: [ROW] }],
  ['columns as objects', { columns: HEADER.map((name) => ({ type: 'text', name })), rows: [ROW] }],
  ['columns with titles', { columns: HEADER.map((title) => ({ title })), data: [ROW] }],
  ['columns with fields', { fields: HEADER.map((field) => ({ field })), records: [ROW] }],
  ['a header row', [HEADER, ROW]],
  ['a header row below a key', { result: [HEADER, ROW] }],
  ['a sheet', SHEET],
  ['sheets of a batch', { valueRanges: [SHEET] }],
  [
    'BigQuery',
    { schema: { fields: HEADER.map((name) => ({ name, type: 'STRING' })) }, rows: [{ f: ROW.map((v) => ({ v })) }] },
  ],
];

describe.each(TABLES)('cells have the keys of their columns: %s', (_name, table) => {
  it('in a value', () => {
    expect(inValue(table)).toEqual(FOUND);
  });

  it('in a text', () => {
    expect(inText(JSON.stringify(table))).toEqual(FOUND);
  });
});

it('reads columns of a sheet', () => {
  const sheet = { majorDimension: 'COLUMNS', values: COLUMNS };
  expect(inValue(sheet)).toEqual(FOUND);
  expect(inText(JSON.stringify(sheet))).toEqual(FOUND.slice(1));
});

it.each([',', ';', '\t', '|'])('reads a text with the separator %j', (separator) => {
  expect(inText([HEADER.join(separator), ROW.join(separator)].join('\n'))).toEqual(FOUND);
  const quoted = [HEADER, ROW].map((row) => row.map((cell) => `"${cell}"`).join(separator)).join('\n');
  expect(inText(quoted)).toEqual(FOUND);
});

it('reads a table of Markdown', () => {
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
  expect(inText([line(HEADER), line(HEADER.map(() => '---')), line(ROW)].join('\n'))).toEqual(FOUND);
});

it('does not read names of things', () => {
  const table = { columns: ['name', 'version', 'sku'], rows: [['Ada Lovelace', '1.2.3', '536904399']] };
  expect(inValue(table)).toEqual([]);
  expect(inText(JSON.stringify(table))).toEqual([]);
});

it('leaves points and matrices as they are', () => {
  expect(inValue({ rows: [['5369', 536904399]], columns: [1, 2] })).toEqual([]);
  expect(inText('[["a","b"],["536904399","94727916"]]')).toEqual([]);
});

function inValue(value: unknown): string[] {
  return detectValue(value).flatMap(({ spans, value: leaf }) =>
    spans.map(({ type, start, end }) => `${type} ${String(leaf).slice(start, end)}`),
  );
}

function inText(text: string): string[] {
  return detectText(text).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
}
