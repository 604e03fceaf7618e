import { expect, it } from 'vitest';
import { random } from '../../../../../bench/pii/random.mjs';
import { measure } from '../../../../../test/fixtures/turns.ts';
import type { Known } from '../../vault/records/record.ts';
import { echoedNames } from './guesses.ts';

function knownValues(texts: readonly string[]): Map<string, Known> {
  return new Map(
    texts.map((text, index) => {
      const name = `EMAIL_${index + 1}`;
      return [name, { name, type: 'EMAIL', numeric: false, canonical: text, spellings: [{ text, sources: [] }] }];
    }),
  );
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('ς', 'σ');

it('finds the values that arguments contain, in any case, with any separators and inside of each other', async () => {
  const values = ['ada@x.com', 'a.da@x.com', 'da@x.c', 'Müller 12', 'bob@y.org', 'Σίσυφος 1', 'x'];
  const names = (args: unknown) => echoedNames(args, knownValues(values));
  expect(await names({ to: 'ADA@X.COM' })).toEqual(['EMAIL_1', 'EMAIL_2', 'EMAIL_3']);
  expect(await names({ parts: ['ada', '@', { 'x.': 'com' }] })).toEqual(['EMAIL_1', 'EMAIL_2', 'EMAIL_3']);
  expect(await names(['mu\u0308ller', 12])).toEqual(['EMAIL_4']);
  expect(await names('b\no\tb@y.org')).toEqual(['EMAIL_5']);
  expect(await names('ΣΊΣΥΦΟΣ 1')).toEqual(['EMAIL_6']);
  expect(await names(['[EMAIL_1]', 'x', 'ad[EMAIL_5]a@x.co'])).toEqual(['EMAIL_3']);
  expect(await names({})).toEqual([]);
});

it('finds the same in texts of any length, also across the borders of their parts', async () => {
  const { pick, int } = random(3);
  const values = Array.from({ length: 200 }, (_, id) => `user.${id}@mail-${id % 7}.org`);
  const words = [...values, 'plain ', 'é', '[EMAIL_3]', '[', '😀', '\u0301', 'USER'];
  for (let run = 0; run < 20; run++) {
    let text = '.'.repeat(int(8_100, 8_200));
    while (text.length < 40_000) text += pick(words);
    const written = plain(text.replaceAll(/\[EMAIL_3\]/g, ''));
    const expected = [...knownValues(values)].filter(([, { canonical }]) => written.includes(plain(canonical)));
    expect(await echoedNames([text], knownValues(values))).toEqual(expected.map(([name]) => name));
  }
});

it('takes time in proportion to the values and the text, with pauses', async () => {
  const cost = async (count: number) => {
    const texts = Array.from({ length: count }, (_, id) => `u${id}@ex.com`);
    const known = knownValues(texts);
    return measure(async () => {
      expect((await echoedNames({ a: texts.join(' ') }, known)).length).toBe(count);
    });
  };
  await cost(2_000);
  const few = await cost(10_000);
  const many = await cost(80_000);
  // 64 times as much if each value is searched in the whole text.
  expect(many.cpuMs / few.cpuMs).toBeLessThan(30);
  expect(many.longestTurnMs).toBeLessThan(1_000);
});
