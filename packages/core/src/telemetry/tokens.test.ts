import { expect, test } from 'vitest';
import { loadTokenizer } from './tokens.ts';

const count = await loadTokenizer();

test.each([
  ['', 0],
  ['hello world', 2],
  ['<|endoftext|>', 7],
])('%j has %i tokens', (text, tokens) => {
  expect(count(text)).toBe(tokens);
});

test.each([
  ['one letter', 'x'.repeat(1_000_000)],
  ['spaces', ' '.repeat(1_000_000)],
  ['signs', '='.repeat(1_000_000)],
  ['words', 'some words of a text '.repeat(50_000)],
])('a long text of %s is counted fast and approximately', (_name, text) => {
  const started = performance.now();
  const tokens = count(text);
  expect(performance.now() - started).toBeLessThan(20_000);
  const part = count(text.slice(0, 100_000));
  expect(Math.abs(tokens / text.length / (part / 100_000) - 1)).toBeLessThan(0.05);
});
