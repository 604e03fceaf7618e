import { expect, it } from 'vitest';
import { normalise } from './normalise.ts';

it('does not change plain texts', () => {
  expect(normalise('plain 100% & fine')).toBeUndefined();
  expect(normalise('größer, 大きい, 😀')).toBeUndefined();
});

it.each([
  ['１２３', '123'],
  ['a\u200bb\u00adc\u2060', 'abc'],
  ['1\u00a02\u20113', '1 2-3'],
  ['٣४𝟗', '349'],
  ['%40 &#64; &#x40; \\u0040', '@ @ @ @'],
  ['x² and ㏂', undefined],
])('%s', (text, expected) => {
  expect(normalise(text)?.text).toBe(expected);
});

it('maps each character to its position in the original', () => {
  const pieces = ['a', '１', '\u200b', '%40', '&#64;', '😀', '𝟗', ' ', '\u00a0', 'é', '\\u0031'];
  for (let seed = 1; seed < 200; seed++) {
    const text = Array.from(
      { length: 12 },
      (_, index) => pieces[(seed * 31 + index * index * seed) % pieces.length],
    ).join('');
    const normal = normalise(text);
    if (!normal) continue;
    let last = 0;
    for (let index = 0; index < normal.text.length; index++) {
      expect(normal.start(index)).toBeGreaterThanOrEqual(last);
      last = normal.end(index);
      const source = text.slice(normal.start(index), last);
      expect(normalise(source)?.text ?? source).toBe(normal.text[index]);
    }
  }
});
