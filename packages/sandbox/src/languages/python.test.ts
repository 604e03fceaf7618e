import { expect, test } from 'vitest';
import { pythonLanguage } from './python.ts';

const { prepare, prepareModule } = pythonLanguage();

test.each([
  ['as it is', 'a = 1\n\na', 'a = 1\n\na'],
  ['without the fence around it, its lines kept', '```python\na = 1\n```\n', '         \na = 1'],
  ['without a byte order mark', '\uFEFFa = 1', 'a = 1'],
  ['with a fence inside of a text', 's = """\n```\n1\n```\n"""', 's = """\n```\n1\n```\n"""'],
  ['though it does not parse', 'a = = $& `1`', 'a = = $& `1`'],
])('a program is taken %s', async (_how, source, code) => {
  const prepared = await prepare(source);
  expect([prepared.guest, prepared.code, prepared.position(2, 3)]).toEqual(['python', code, { line: 2, column: 3 }]);
});

test('a module is taken as it is', async () => {
  expect(await prepareModule('\uFEFFdef f():\n    return 1\n', '/workspace/a.py')).toBe('def f():\n    return 1\n');
});
