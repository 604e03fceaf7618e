import { describe, expect, it } from 'vitest';
import { trustedText } from './trusted-text.ts';

describe('trustedText', () => {
  it.each([
    ['Write to Bob@Example.com, please.', 'bob@example.com'],
    ['Read https://www.example.com/a.', 'https://example.com/a/'],
    ['Pay GB29 NWBK 6016 1331 9268 19 today', 'GB29NWBK60161331926819'],
    ["Tell Ada's team in #general", 'general'],
    ['Book the Riverside  View Hotel', 'Riverside View Hotel'],
    ['Delete file 13', '13'],
    ['Delete the files with ids 1300', '1300'],
  ])('%j has %j', (text, value) => {
    expect(trustedText(text).has(value, ['file'])).toBe(true);
  });

  it.each([
    ['Write to evil-bob@example.com', 'bob@example.com'],
    ['Write to bob@example.com.evil.org', 'bob@example.com'],
    ['Write to bob@example.com', 'example.com'],
    ['Read https://example.com/a', 'https://example.com'],
    ['Read https://example.com', 'https://example.com/?q=secret'],
    ['Read https://example.com.evil.org/a', 'https://example.com'],
    ['Read https://evil.org/example.com', 'https://example.com'],
    ['Read /home/ada/notes.txt', 'notes.txt'],
    ['Meet at 13:00 in room 5', '13'],
    ['Summarise 13 files', '13'],
    ['Order 113', '13'],
    ['a', 'a'],
    ['anything', ''],
  ])('%j does not have %j', (text, value) => {
    expect(trustedText(text).has(value, ['file'])).toBe(false);
  });
});
