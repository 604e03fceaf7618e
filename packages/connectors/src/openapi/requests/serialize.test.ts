import { expect, test } from 'vitest';
import { headerText, pathText, toPairs, urlText } from './serialize.ts';

/** The values of the table "Style Examples" of the specification. */
const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

test.each([
  ['matrix', false, '', ';color='],
  ['matrix', false, 'blue', ';color=blue'],
  ['matrix', false, LIST, ';color=blue,black,brown'],
  ['matrix', false, OBJECT, ';color=R,100,G,200,B,150'],
  ['matrix', true, LIST, ';color=blue;color=black;color=brown'],
  ['matrix', true, OBJECT, ';R=100;G=200;B=150'],
  ['label', false, 'blue', '.blue'],
  ['label', false, LIST, '.blue,black,brown'],
  ['label', false, OBJECT, '.R,100,G,200,B,150'],
  ['label', true, LIST, '.blue.black.brown'],
  ['label', true, OBJECT, '.R=100.G=200.B=150'],
  ['simple', false, 'a/b?c d', 'a%2Fb%3Fc%20d'],
  ['simple', false, LIST, 'blue,black,brown'],
  ['simple', false, OBJECT, 'R,100,G,200,B,150'],
  ['simple', true, OBJECT, 'R=100,G=200,B=150'],
])('a path parameter: %s, explode %s, %j', (style, explode, value, expected) => {
  expect(pathText('color', value, { style, explode })).toBe(expected);
});

test.each([
  ['form', true, LIST, 'color=blue&color=black&color=brown'],
  ['form', true, OBJECT, 'R=100&G=200&B=150'],
  ['form', false, LIST, 'color=blue,black,brown'],
  ['form', false, OBJECT, 'color=R,100,G,200,B,150'],
  ['form', false, [], ''],
  ['form', true, false, 'color=false'],
  ['spaceDelimited', false, LIST, 'color=blue black brown'],
  ['pipeDelimited', false, LIST, 'color=blue|black|brown'],
  ['pipeDelimited', false, OBJECT, 'color=R|100|G|200|B|150'],
  ['deepObject', true, OBJECT, 'color[R]=100&color[G]=200&color[B]=150'],
  ['deepObject', true, { a: { b: [1, { c: 2 }] } }, 'color[a][b][0]=1&color[a][b][1][c]=2'],
])('a query parameter: %s, explode %s, %j', (style, explode, value, expected) => {
  const text = toPairs('color', value, { style, explode }).map((pair) => pair.join('='));
  expect(text.join('&')).toBe(expected);
});

test('a header has no percent-encoding', () => {
  expect(headerText(LIST, false)).toBe('blue,black,brown');
  expect(headerText(OBJECT, false)).toBe('R,100,G,200,B,150');
  expect(headerText(OBJECT, true)).toBe('R=100,G=200,B=150');
});

test('reserved characters stay on request, except those that would end the value', () => {
  expect(urlText("a/b:c?d=e&f#g+h'%")).toBe("a%2Fb%3Ac%3Fd%3De%26f%23g%2Bh'%25");
  expect(urlText('a/b:c?d=e&f#g+h', true)).toBe('a/b:c?d%3De%26f%23g%2Bh');
  expect(urlText('\ud800')).toBe('%EF%BF%BD');
});
