import { expect, it } from 'vitest';
import { processorTime } from '../../../../../../test/fixtures/processor-time.ts';
import { returnsInJavaScript, returnsInPython } from './returns.ts';

it.each([
  ['return items;', true],
  ['for (const x of items) { if (x) { return x; } }', true],
  ['try { return 1 } catch { }', true],
  ['const f = () => { return 1; };', false],
  ['function f(a) { return a; } f(1);', false],
  ['items.map(function (x) { return x; });', false],
  ['class A { get(x) { return x; } static { } }', false],
  ['const o = { run(x) { return x; } }; return o;', true],
  ['// return 1\n/* return 2 */ const a = "return 3";', false],
  ['const re = /["\'{]/; return re;', true],
  ['const re = /return/g; items.filter((x) => { return re.test(x); })', false],
  ['const t = `\u0024{items.map((x) => `a\u0024{x}`)}`; return t;', true],
  ['const t = `<tr>\u0024{a.map((c) => `<td>\u0024{c["}`"]}</td>`).join("`")}</tr>`; return t;', true],
  ['const t = a.map((row) => { return `\u0024{row.map((c) => `<td>\u0024{c}</td>`)}`; }); return t;', true],
  ['const t = a.map((row) => { return `\u0024{row.map((c) => `<td>\u0024{c}</td>`)}`; });', false],
  ['const t = `\\\u0024{`; return t;', true],
  ['const x = y.return;', false],
  ['async function g() { for await (const x of y) { return x; } }', false],
  ['for await (const x of y) { return x; }', true],
  ['', false],
])('JavaScript: %s', (code, expected) => expect(returnsInJavaScript(code)).toBe(expected));

it.each([
  ['return items', true],
  ['if x:\n    return [1]', true],
  ['def f():\n    return 1\nf()', false],
  ['def f():\n    return 1\n\nreturn f()', true],
  ['# return 1\nx = 1', false],
  ['async def f():\n  if x:\n    return 1', false],
])('Python: %j', (code, expected) => expect(returnsInPython(code)).toBe(expected));

it.each([
  ['comments', '/*'],
  ['quotes', '"'],
  ['backticks', '`'],
  ['templates in templates', '`\u0024{'],
  ['slashes', '(/'],
  ['parentheses', '('],
  ['spaces', ' '],
])('reads a million characters of %s in linear time', (_what, part) => {
  const used = processorTime();
  returnsInJavaScript(part.repeat(1_000_000 / part.length));
  expect(used()).toBeLessThan(20_000);
});
