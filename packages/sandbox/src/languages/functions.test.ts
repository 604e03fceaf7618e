import { describe, expect, test } from 'vitest';
import type { ModuleFunction } from './language.ts';
import { pythonFunctions } from './python/functions.ts';
import { typescriptFunctions } from './typescript/functions.ts';

const line = ({ name, parameters, takesObject, result }: ModuleFunction) => {
  const shown = parameters.map((own) => `${own.name}${own.isOptional ? '?' : ''}: ${own.type ?? '-'}`).join(', ');
  return `${name}(${takesObject ? `{${shown}}` : shown}): ${result ?? '-'}`;
};

describe('the functions of a TypeScript module', () => {
  test.each<[string, string[]]>([
    [
      'export function a(x: number, y = "s", z?: Map<string, number[]>): Promise<string[]> { return [] }',
      ['a(x: number, y?: string, z?: Map<string, number[]>): string[]'],
    ],
    ['export const a = async (x) => 1, b = function () { return "s" }, c = 3;', ['a(x: -): number', 'b(): string']],
    ['export default ({ city, days = 3, ...rest }) => `x`', ['default({city: -, days?: number}): string']],
    [
      'interface In { a: string; b?: { c: number } }\nexport default function main(given: In): void {}',
      ['default({a: string, b?: {c: number}}): -'],
    ],
    [
      'type In = { a: string };\nfunction run({ a }: In) {}\nexport { run as main, run as default }',
      ['main({a: string}): -', 'default({a: string}): -'],
    ],
    ['export const f = (options: Record<string, unknown>) => ({ a: 1 })', ['f({}): object']],
    ['type A = B; type B = A;\nexport const f = (x: A): A => x', ['f(x: B): B']],
    ['export * from "./x.js"; export { y } from "./y.js"; export class C {}; class D {}; const hidden = () => 1;', []],
    ['export function broken(', []],
  ])('%s', async (source, wanted) => {
    expect((await typescriptFunctions(source)).map(line)).toEqual(wanted);
  });
});

describe('the functions of a Python module', () => {
  test.each<[string, string[]]>([
    ['def a(x, y: int = 3, *more, z="s", **rest) -> list[str]:\n    pass', ['a(x: -, y?: int, z?: str): list[str]']],
    [
      'async def a(\n    x: dict[str, int],  # the (first\n    y: str = ")",\n    /,\n) -> "A":\n    def inner(): pass',
      ['a(x: dict[str, int], y?: str): "A"'],
    ],
    [
      'def _hidden(): pass\nclass A:\n    def method(self): pass\ntext = """\ndef no(): pass\n"""\nif 1:\n    def no(): pass',
      [],
    ],
    [
      'def a(x=True, y=None, z=-1.5, w=[1, 2], v={}): return 1',
      ['a(x?: bool, y?: -, z?: float, w?: list, v?: dict): -'],
    ],
    ["s = 'it\\'s'\ndef a(): pass\nr = r'\\\\'\ndef b() -> None: pass", ['a(): -', 'b(): -']],
    ['def broken(', ['broken(): -']],
  ])('%s', (source, wanted) => {
    expect(pythonFunctions(source).map(line)).toEqual(wanted);
  });
});
