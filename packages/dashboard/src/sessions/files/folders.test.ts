import { expect, test } from 'vitest';
import { filtered, foldersOf, type WorkspaceFile } from './folders.ts';

const entry = (path: string, kind: WorkspaceFile['kind'] = 'file'): WorkspaceFile => ({
  path,
  kind,
  size: 1,
  modifiedAt: '2026-01-01T00:00:00.000Z',
});
const ENTRIES = [
  ...[entry('b10.csv'), entry('b9.csv'), entry('data', 'directory'), entry('data/raw', 'directory')],
  ...[entry('data/raw/x.txt'), entry('empty', 'directory')],
];

test('files are in their folders, with numbers in order, and only the last empty folder is shown', () => {
  const found = foldersOf(ENTRIES).map(({ path, files }) => [path, files.map((file) => file.path)]);
  expect(found).toEqual([
    ['', ['b9.csv', 'b10.csv']],
    ['data/raw', ['data/raw/x.txt']],
    ['empty', []],
  ]);
});

test('a filter finds files by their path', () => {
  expect(filtered(ENTRIES, 'RAW').map(({ path }) => path)).toEqual(['data/raw/x.txt']);
  expect(filtered(ENTRIES, '')).toHaveLength(6);
});
