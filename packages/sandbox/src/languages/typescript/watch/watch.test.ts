// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs are texts
import { expect, test } from 'vitest';
import { prepareTypescript } from '../prepare.ts';
import { watchTypescript } from './watch.ts';

const WATCHED = { marker: '#', names: ['SSN_1', 'SSN_2'], spelled: ['SSN_2'], numeric: ['SSN_2'] };

/** The functions of rewritten expressions, for operands that are ordinary texts. */
const PLAIN = {
  on: (value: unknown) => value,
  equal: (left: unknown, right: unknown) => left === right,
  chain: (value: unknown, rest: (value: unknown) => unknown) =>
    value === null || value === undefined ? undefined : rest(value),
  since: (left: string, right: number) => Number(new Date(left)) - right,
  ordered: (left: string, operator: string, right: string) => (operator.startsWith('<') ? left < right : left > right),
};

/** Runs a program with `p` and `q`, and returns its value and the places that it reported. */
async function run(program: string) {
  const { code } = await prepareTypescript(watchTypescript(program, WATCHED), { isPlain: true });
  const places: string[] = [];
  const inputs = {
    p: { ssn: '[SSN_1]', note: 'His SSN is [SSN_1].', name: '[NAME_1]', list: ['[SSN_1]', '[SSN_1]'] },
    q: { ssn: '[SSN_2]', none: null },
    console: { log: (text: string) => places.push(text.slice(1)) },
  };
  Object.assign(globalThis, { watchInputs: inputs, __toolwright_values: PLAIN });
  const module = `const { p, q, console } = globalThis.watchInputs; ${code}`;
  const { default: main } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`);
  const value: unknown = await main();
  return { value, places };
}

test.each([
  [`return p.ssn.startsWith('53')`, false, '.startsWith'],
  [`return p?.ssn?.endsWith('1973')`, false, '.endsWith'],
  [`return p?.ssn.length`, 7, '.length'],
  [`return p.ssn[0] === '4'`, false, '[…]'],
  [`return p.ssn === 536904399`, false, '==='],
  ['return p.ssn == `536-90-4399`', false, '=='],
  [`return p.ssn !== '536-90-4399'`, true, '!=='],
  [`return +p.ssn.slice(-4) > 1000`, false, '.slice'],
  [`return Number(p.ssn) > 5`, false, 'Number'],
  [`return p.ssn < '6'`, false, '<'],
  [`return /^53/.test(p.ssn)`, false, '.test'],
  [`return /\\d{3}-\\d\\d/.test(p.note)`, false, '.test'],
  [`return p.note.includes('536')`, false, '.includes'],
  [`return new Date(p.ssn).getTime() > 0`, false, 'Date'],
  [`switch (p.ssn) { case '1': return 1; default: return 2 }`, 2, 'switch'],
  [`return [...p.ssn].length`, 7, '...'],
  [`let n = 0; for (const c of p.ssn) n++; return n`, 7, 'for of'],
  [`const [a] = p.ssn; return a`, '[', '[…]'],
  [`return ['536904399'].includes(p.ssn)`, false, '.includes'],
  [`return new Set(['536904399']).has(p.ssn)`, false, '.has'],
  [`return p.ssn === q.ssn`, false, '==='],
  [`return new Set([p.ssn, q.ssn]).size`, 2, 'new Set'],
  [`return { a: 1 }[q.ssn]`, undefined, '[…]'],
  [`return typeof q.ssn`, 'string', 'typeof'],
  [`return [p.ssn, '1'].sort()[0]`, '1', '.sort'],
  [`const luhn = (s: string): boolean => s.replace(/\\D/g, '').length === 9;\nreturn luhn(p.ssn)`, false, '.replace'],
])('reports the operation that reads a restricted text: %s', async (program, value, place) => {
  const found = await run(program);
  expect(found.value).toEqual(value);
  expect(found.places.map((text) => text.replace(/^line \d+: /, ''))).toContain(place);
});

test.each([
  [`return p.ssn`, '[SSN_1]'],
  ['return `SSN ${p.ssn}` + p.ssn', 'SSN [SSN_1][SSN_1]'],
  [`return p.ssn === null || p.ssn === ''`, false],
  [`return p.ssn === p.list[0] && new Set(p.list).size === 1`, true],
  [`return p.list.filter((each) => each).map((each) => ({ each })).length`, 2],
  [`return p.name.startsWith('A')`, false],
  [`return p.note.split(' ').length`, 4],
  [`return p.note.includes('SSN')`, true],
  [`return q?.none?.a.b.length`, undefined],
  [`return q?.none?.a.slice(1)[0].b`, undefined],
  [`return new Map([[p.ssn, 1]]).get(p.ssn)`, 1],
  [`return { [p.ssn]: 1 }[p.ssn]`, 1],
  [`const x: { a?: string } = {}; return x.a?.split(',') ?? 'none'`, 'none'],
  [`let a = 1; a += 2; const f = async ({ b = 3 } = {}) => b as number; return a - (await f())`, 0],
])('reports nothing for a program that passes it on: %s', async (program, value) => {
  expect(await run(program)).toEqual({ value, places: [] });
});
