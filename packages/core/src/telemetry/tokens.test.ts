import { readFileSync } from 'node:fs';
import { countTokens as original } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../test/fixtures/processor-time.ts';
import { countTokens } from './tokenizer.ts';
import { loadTokenizer } from './tokens.ts';

const count = await loadTokenizer();
const here = readFileSync(new URL(import.meta.url), 'utf8');

describe('the tokenizer', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['<|endoftext|>', 7],
  ])('counts the tokens of %j as %i', (text, tokens) => {
    expect(count(text)).toBe(tokens);
  });

  it.each([
    ['code', here],
    [
      'JSON',
      JSON.stringify({ id: 'a1B2c3', rows: Array.from({ length: 50 }, (_, i) => ({ i, ok: i % 2 === 0 })) }, null, 2),
    ],
    [
      'words of many scripts',
      'Grüße, señor! Привет мир. 你好，世界。 こんにちは 안녕하세요 مرحبا שלום हिन्दी ภาษาไทย ǅ ʰ',
    ],
    ['signs and emojis', '👩‍👩‍👧‍👦 🇩🇪 ✅…—“”\u0301\u200b~~~ ///\r\n\t  \n\n '],
    ['half a surrogate pair', 'a\ud83d b\udc00'],
    [
      'base64',
      Buffer.from(here)
        .toString('base64')
        .replaceAll(/.{200}/g, '$& '),
    ],
    ['numbers and contractions', "1234567.89 I'm YOU'LL we've it'S 'tis 000000"],
  ])('counts %s like the original', (_name, text) => {
    expect(countTokens(text)).toBe(original(text, { disallowedSpecial: new Set() }));
  });

  it('counts random texts like the original', () => {
    let state = 7;
    const next = (below: number) => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      return (state >>> 1) % below;
    };
    const blocks = [0x20, 0x41, 0x61, 0xc0, 0x300, 0x400, 0x5d0, 0x3040, 0x4e00, 0x1f600];
    for (let round = 0; round < 200; round++) {
      const units = Array.from({ length: 40 }, () => (blocks[next(blocks.length)] ?? 0) + next(30));
      const text = String.fromCodePoint(...units);
      expect([text, countTokens(text)]).toEqual([text, original(text, { disallowedSpecial: new Set() })]);
    }
  });

  it.each([
    ['one letter', 'x'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['signs', '='.repeat(1_000_000)],
    ['words', 'some words of a text '.repeat(50_000)],
  ])('counts a long text of %s fast and approximately', (_name, text) => {
    const used = processorTime();
    const tokens = count(text);
    expect(used()).toBeLessThan(20_000);
    const part = count(text.slice(0, 100_000));
    expect(Math.abs(tokens / text.length / (part / 100_000) - 1)).toBeLessThan(0.05);
  });
});
