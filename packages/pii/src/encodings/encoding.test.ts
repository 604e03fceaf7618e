import { describe, expect, it } from 'vitest';
import { encodedParts } from './encoding.ts';
import type { EncodedPart } from './part.ts';

const TEXT = 'Dear Zoë, write to [EMAIL_1] today.';
const LONG = `${TEXT}\n`.repeat(9);
const wrapped = (text: string, width: number, gap: string) =>
  (
    Buffer.from(text)
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
  ).join(gap);

/** Encodes a text with each part replaced by other content of its kind. */
const withContents = (text: string, change: (content: unknown) => unknown) =>
  encodedParts(text).reduceRight(
    (whole, { start, end, content, encode }: EncodedPart) =>
      whole.slice(0, start) + encode(change(content)) + whole.slice(end),
    text,
  );

describe('encoded parts', () => {
  it.each([
    ['base64', btoa('write to [EMAIL_1]')],
    ['base64 of UTF-8', Buffer.from(TEXT).toString('base64')],
    ['base64 without padding', Buffer.from('abcdefghijk').toString('base64').replace(/=+$/, '')],
    ['base64url', Buffer.from('ÿÿÿ>>>???~~~~ to [EMAIL_1]').toString('base64url')],
    ['base64 in lines of 60', wrapped(LONG, 60, '\n')],
    ['base64 in lines of 76 with CRLF', wrapped(LONG, 76, '\r\n')],
    ['base64 in lines of 64, in JSON', wrapped(LONG, 64, '\\n')],
    ['UTF-16 in base64', Buffer.from(TEXT, 'utf16le').toString('base64')],
    ['hexadecimal', Buffer.from(TEXT).toString('hex')],
    ['upper-case hexadecimal', Buffer.from(TEXT).toString('hex').toUpperCase()],
    ['a percent-encoded placeholder', '%5BEMAIL_1%5D'],
    ['JSON', '{ "a" : [1.0, "xé", null], "b":{"c":1e3} }'],
    ['JSON of Python', '{"a": 1.0, "b": ["x", true], "\\u00e4": ""}'],
    ['JSON in JSON', JSON.stringify({ text: JSON.stringify({ a: 1 }) })],
  ])('%s is one part, and encodes to itself', (_name, text) => {
    for (const around of [
      (part: string) => part,
      (part: string) => (part.startsWith('{') ? part : `data: ${part}, end`),
    ]) {
      const [part, ...more] = encodedParts(around(text));
      expect(more).toEqual([]);
      expect(around(text).slice(part?.start, part?.end)).toBe(text);
      expect(part?.encode(part.content)).toBe(text);
    }
  });

  it('encodes other content in the same form', () => {
    const change = (content: unknown) => String(content).replace('[EMAIL_1]', 'zoë@example.org');
    const decoded = (text: string) => Buffer.from(text, 'base64').toString();
    expect(decoded(withContents(wrapped(LONG, 60, '\n'), change))).toBe(
      change(LONG).replaceAll('[EMAIL_1]', '[EMAIL_1]'),
    );
    expect(withContents(wrapped(LONG, 60, '\n'), change)).toMatch(/^(?:[\w+/]{60}\n)+[\w+/=]{1,60}$/);
    expect(withContents('?q=%5BEMAIL_1%5D&x=1', change)).toBe('?q=zo%C3%AB%40example.org&x=1');
    const json = '{ "a" : [1.0, "[EMAIL_1]"], "n": 1e3 }';
    const changed = (content: unknown) => ({ ...Object(content), a: [1, 'x"y\n'] });
    expect(withContents(json, changed)).toBe('{ "a" : [1.0, "x\\"y\\n"], "n": 1e3 }');
  });

  it.each([
    ['words and paths', 'internationalization of /usr/local/share/applications/defaults'],
    ['a hash', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['a UUID', '123e4567-e89b-42d3-a456-426614174000'],
    ['bytes', Buffer.from([0, 255, 1, 254, 2, 253, 3, 252, 4, 251, 5, 250]).toString('base64')],
    ['JSON with a key twice', '{"a":1,"a":2}'],
    ['JSON with other escapes', '{"a":"x\\u0041"}'],
    ['JSON that is not complete', '{"a":1'],
    ['a number', '31323334353637383930'],
  ])('%s is none', (_name, text) => {
    expect(encodedParts(text)).toEqual([]);
  });

  it('takes linear time', () => {
    const hostile = [
      'A'.repeat(1e6),
      'QUFB\n'.repeat(2e5),
      '%5B'.repeat(3e5),
      `[${'"\\"'.repeat(2e5)}`,
      '{"a":'.repeat(1e5),
    ];
    for (const text of hostile) {
      const started = performance.now();
      encodedParts(text);
      expect(performance.now() - started).toBeLessThan(1_500);
    }
  });
});
