import { expect, test } from 'vitest';
import { pythonLanguage } from './python.ts';

const { prepare, prepareModule } = pythonLanguage();

test.each([
  ['unchanged', 'a = 1\n\na', 'a = 1\n\na'],
  ['without the fence around it, on the same lines', '```python\na = 1\n```\n', '         \na = 1'],
  ['without a byte order mark', '\uFEFFa = 1', 'a = 1'],
  ['with a fence inside of a text', 's = """\n```\n1\n```\n"""', 's = """\n```\n1\n```\n"""'],
  ['even if it does not parse', 'a = = $& `1`', 'a = = $& `1`'],
])('a program is prepared %s', async (_how, source, code) => {
  const prepared = await prepare(source);
  expect([prepared.guest, prepared.code, prepared.position(2, 3)]).toEqual(['python', code, { line: 2, column: 3 }]);
});

test('a module is not changed', async () => {
  expect(await prepareModule('\uFEFFdef f():\n    return 1\n', '/workspace/a.py')).toBe('def f():\n    return 1\n');
});
