import { loadTokenizer } from '@toolwright/core/internal';
import { expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { packagesLine } from './text.ts';

const countTokens = await loadTokenizer();
const lineOf = (python: readonly string[], typescript: readonly string[]) => {
  const named = (names: readonly string[]) => names.map((name) => ({ name, version: '1.0.0' }));
  const installed = (language: string) => named(language === 'python' ? python : typescript);
  return packagesLine(partial({ packages: partial({ installed, problem: undefined }) }), countTokens);
};

it('names the packages of each language, and nothing without packages', () => {
  expect(lineOf(['numpy', 'pandas'], ['lodash'])).toBe('Packages. Python: numpy, pandas; TypeScript: lodash');
  expect(lineOf([], ['lodash'])).toBe('Packages. TypeScript: lodash');
  expect(lineOf([], [])).toBeUndefined();
});

it('has at most 25 tokens for any number of packages', () => {
  const many = Array.from({ length: 60 }, (_, index) => `package-number-${index}`);
  const line =
    lineOf(
      ['matplotlib', 'numpy', 'openpyxl', 'pandas', 'scipy', ...many],
      ['date-fns', 'lodash', 'papaparse', ...many],
    ) ?? '';
  expect(line).toMatch(/^Packages\. Python: matplotlib, numpy.* …; TypeScript: date-fns, lodash.* …$/);
  expect(countTokens(line)).toBeLessThanOrEqual(25);
});
