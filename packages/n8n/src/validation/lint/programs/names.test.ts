import { expect, it } from 'vitest';
import { processorTime } from '../../../../../../test/fixtures/processor-time.ts';
import { nameMistakes } from './names.ts';

it.each([
  'const { a = {}, b, ...rest } = $json;\nreturn [{ json: { a, b, rest } }];',
  'for (const [k, v] of Object.entries($json)) { console.log(k, v); }\nreturn [];',
  'let a, b;\na = 1; b = 2; return [{json:{a,b}}]',
  'outer: for (let i = 0; i < 3; i++) { for (;;) break outer; }\nreturn [];',
  'class A { #x = 1; get y() { return this.#x; } static z(q) { return q; } }\nreturn [{json:{y:new A().y}}]',
  'const f = async ({ id, name: n = "x" }, [first]) => ({ id, n, first });\nreturn f({}, []);',
  'const r = $input.all().filter(({ json: { id } }) => id > 1).map((i, n) => ({ json: { n } }));\nreturn r;',
  'try { a(); } catch { }\nfunction a() {}\nreturn [];',
  'try {} catch (e) { throw new Error(e.message); }\nreturn []',
  'const x = cond() ? one : two;\nfunction cond() { return true; } var one, two;\nreturn [];',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the program has the template.
  'const t = `a ${`b ${1}`}`;\nreturn []',
  'const re = /abc|def/g; return [{json:{m:"x".match(re)}}]',
  'const o = { m(a) { return a; }, async n(b) { return b; }, ["k"]: 1 };\nreturn [{json:{o}}]',
  'const größe = 1; return [{json:{größe}}]',
  'const g = function* (a) { yield a; }; return [...g(1)].map(a => ({json:{a}}));',
  'const s = new Set(items.map(i => i.json.id)); return [...s].map(id => ({ json: { id } }));',
  'return items.sort((a, b) => a.json.x - b.json.x);',
  'const out = items.reduce((acc, { json }) => { acc[json.id] ??= json; return acc; }, {}); return [{json: out}];',
  'var i; for (i in {a:1}) {} return [];',
  'let total = 0, n = 0; for (const { json: { price: p } } of items) { total += p; n++; } return [{ json: { avg: total / n } }];',
  'const fn = (a) => (b) => a + b; return [{json:{r: fn(1)(2)}}];',
  'const { a: { b: [c] } } = {a:{b:[1]}}; return [{json:{c}}]',
  'do { var z = 1; } while (z < 1); return [];',
  'switch (1) { case 1: { const k = 2; return [{json:{k}}]; } default: return []; }',
  'const d = new Date(); return [{json:{d: d.toISOString(), u: Uint8Array.from([1])}}]',
  'const p = await Promise.all(items.map(async (item, index) => { const r = await this.helpers.httpRequest({ url: item.json.url }); return { json: { index, r } }; })); return p;',
])('finds each name declared in %j', (code) => expect(nameMistakes(code, 'all')).toEqual([]));

it.each([
  ['return [{ json: { total } }];', 'total'],
  ['alert(1);\nreturn [];', 'alert'],
  ['print("a")\nreturn items', 'print'],
  ['const { a, ...rest } = client.get(1);\nreturn [{ json: rest }];', 'client'],
  ["const t = 'data';\n// data\nreturn [{ json: { a: data.x } }];", 'data'],
])('finds a name in %j that nothing declares: %s', (code, name) => {
  const message = expect.stringContaining(`uses ${name},`);
  expect(nameMistakes(code, 'all')).toMatchObject([{ code: 'CODE_NAME', message }]);
});

it('knows the list of items in one mode only', () => {
  expect(nameMistakes('return items;', 'all')).toEqual([]);
  expect(nameMistakes('return items;', 'each')).toMatchObject([{ code: 'CODE_NAME' }]);
});

it.each(['a(b(c, ', 'const a ', '(a,', 'let {a,', '`${', '${`'])(
  'reads a program of many %j in bounded time',
  (part) => {
    const used = processorTime();
    nameMistakes(part.repeat(Math.floor(99_000 / part.length)), 'all');
    expect(used()).toBeLessThan(10_000);
  },
);
