import { expect, test } from 'vitest';
import { cutOutsideValues } from './cut.ts';

test.each(['ada.lovelace@example.com', '4929 1234 5678 9104', '+44 (20) 7946-0958', 'sk_live_51H8abcdefgh'])(
  'a cut is never inside of %s',
  (value) => {
    const text = `Write to ${value} today, or wait.`;
    for (let end = 0; end <= text.length; end++) {
      const kept = text.slice(0, cutOutsideValues(text, end));
      expect(end - kept.length).toBeLessThanOrEqual(value.length);
      expect(kept.endsWith('Write to ') || kept.includes(value) || 'Write to '.startsWith(kept)).toBe(true);
    }
  },
);

test('a cut in words stays where it is', () => {
  expect(cutOutsideValues('Reads one person', 8)).toBe(8);
  expect(cutOutsideValues('short', 9)).toBe(5);
  expect(cutOutsideValues(`${'a'.repeat(10_000)}1`, 9_000)).toBe(9_000);
});
