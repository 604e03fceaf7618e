import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { packagesNote } from './search-note.ts';

const packages = {
  installed: (language: string) =>
    (language === 'python' ? ['openpyxl', 'pandas', 'tw-shapes'] : ['date-fns', 'lodash']).map((name) => ({
      name,
      version: '1.0.0',
    })),
};

it.each([
  [['write an Excel file'], 'Packages to import: openpyxl (Python), pandas (Python)'],
  [['dates'], 'Packages to import: date-fns (TypeScript)'],
  [['send an email', 'draw shapes'], 'Packages to import: tw-shapes (Python)'],
  [['Lodash'], 'Packages to import: lodash (TypeScript)'],
  [['send an email'], undefined],
])('%j', (queries, note) => {
  expect(packagesNote(queries, partial(packages))).toBe(note);
});
