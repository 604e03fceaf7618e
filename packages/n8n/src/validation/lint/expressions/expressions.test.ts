import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../../test/fixtures/processor-time.ts';
import { withSyntax } from '../../syntax.ts';
import { chunksOf } from './expression-chunks.ts';
import { expressionProblem, referencedNodes, unknownVariables } from './expressions.ts';

const problemOf = (text: string) => withSyntax({}, (syntax) => expressionProblem(text, syntax));

describe('the syntax of expressions', () => {
  it.each([
    '{{ $json.a }}',
    'Hi {{ $json.name }}, {{ 1 + 1 }}!',
    '{{ {a: 1, b: [2]} }}',
    '{{ (function(){ return 1 })() }}',
    '{{ await $json.x }}',
    '{{ // comment\n 1 }}',
    "{{ $('A').item.json['x y'] }}",
    'no braces at all',
    'a }} b',
    '\\{{ not code',
    '{{ "\\}}" }}',
  ])('accepts %s', async (text) => expect(await problemOf(text)).toBeUndefined());

  it.each([
    '{{ $json.a',
    '{{ }}',
    '{{ x y }}',
    '{{ [1].map(x => x }}',
    '{{ return 1 }}',
    '{ $json.a }}',
    '{{ let a = 1; a }}',
    '{{ {a: {b: 1}} }}',
    '{{ $json.x )( }}',
    '{{ a); (b }}',
    `{{ ${'('.repeat(5_000)} }}`,
  ])('refuses %s', async (text) => expect(await problemOf(text)).toBeTypeOf('string'));

  it('splits at the first closing braces, like n8n', () => {
    expect(chunksOf('a {{ b }} c')).toEqual([
      { code: false, text: 'a ', closed: true },
      { code: true, text: ' b ', closed: true },
      { code: false, text: ' c', closed: true },
    ]);
  });
});

it('finds the nodes that a text refers to', () => {
  const text = `$('A b').all() + $node["C"].json + $items('D') + $("it\\'s") + $(\`E\${1}\`) + $json.x`;
  expect([...referencedNodes(text)]).toEqual(['A b', 'C', 'D', "it's"]);
});

it('finds variables that n8n does not define', () => {
  const text = '{{ $jsn.a + $json.b }} costs $price {{ [1].map(($x) => $x + $foo).join("$bar") + a.$b }}';
  expect(unknownVariables(text)).toEqual(['$jsn', '$foo']);
});

describe('long texts', () => {
  /** A generous bound: they take milliseconds, and took minutes. */
  const MAX_MS = 5_000;

  it.each([
    ['backslashes in a name', `$('${'\\'.repeat(200_000)}`],
    ['names without an end', "$('".repeat(100_000)],
    ['backslashes before braces', `${'\\'.repeat(200_000)}a{{ 1 }}`],
    ['a single brace', `{${'$json'.repeat(80_000)}`],
    ['strings without an end', `{{ ${'"\\'.repeat(200_000)} }}`],
    ['comments without an end', `{{ ${'/* '.repeat(100_000)} }}`],
    ['one unknown variable', `{{ ${'$x,'.repeat(100_000)} }}`],
    ['unknown variables', `{{ ${Array.from({ length: 50_000 }, (_, at) => `$x${at},`).join('')} }}`],
  ])('of %s are searched in linear time', (_what, text) => {
    const used = processorTime();
    expressionProblem(text, { problemOf: () => undefined, isObjectLiteral: () => false });
    for (const name of referencedNodes(text)) expect(name).toBeTypeOf('string');
    unknownVariables(text);
    expect(used()).toBeLessThan(MAX_MS);
  });
});
