import { expect, test } from 'vitest';
import { fileName } from './extension.ts';

test.each([
  ['report.csv', 'report.csv'],
  ['../../.bashrc', 'bashrc'],
  ['C:\\Windows\\a:b.txt', 'a_b.txt'],
  ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
  ['..', 'file'],
  ['', 'file'],
])('the name %j becomes %j', (name, safe) => {
  expect(fileName(name)).toBe(safe);
});
