import { describe, expect, it } from 'vitest';
import { detectText } from '../documents/text.ts';

const VALUE = 'ada.lovelace@example.org';
const LETTER = `Hello, ${'this line has no value. '.repeat(8)}Write to ${VALUE} or call. ${'This line neither. '.repeat(8)}`;

const found = (text: string) => detectText(text).map(({ start, end, type }) => `${type} ${text.slice(start, end)}`);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits
    .match(/.{1,5}/g)
    ?.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)]);
  const encoded = letters?.join('') ?? '';
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}

describe('base64 over line breaks is one value', () => {
  for (const width of [60, 64, 76]) {
    it.each([['\n'], ['\r\n'], ['\n    ']])(`of ${width} columns with %j`, (gap) => {
      const encoded = Buffer.from(LETTER)
        .toString('base64')
        .replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${gap}`);
      expect(found(`before:\n${encoded}\n\nafter`)).toEqual([`EMAIL ${encoded}`]);
    });
  }

  it.each(['\n', '\r\n'])('in a string of JSON with %j', (gap) => {
    const encoded = Buffer.from(LETTER)
      .toString('base64')
      .replaceAll(/.{60}(?=.)/g, `$&${gap}`);
    const text = JSON.stringify({ content: encoded, encoding: 'base64' });
    expect(found(text)).toEqual([`EMAIL ${JSON.stringify(encoded).slice(1, -1)}`]);
  });

  it('and no value without personal data', () => {
    const encoded = Buffer.from('This line has no value. '.repeat(40))
      .toString('base64')
      .replaceAll(/.{76}(?=.)/g, '$&\n');
    expect(found(encoded)).toEqual([]);
  });
});

it.each([
  ['UTF-16 in base64', utf16(VALUE).toString('base64')],
  ['big-endian UTF-16 in base64', utf16(VALUE).swap16().toString('base64')],
  ['UTF-16 with a mark in base64', utf16(`\ufeff${VALUE}`).toString('base64')],
  ['big-endian UTF-16 with a mark in base64', utf16(`\ufeff${VALUE}`).swap16().toString('base64')],
  ['UTF-16 in hex', utf16(VALUE).toString('hex')],
  ['big-endian UTF-16 in hex', utf16(VALUE).swap16().toString('hex')],
  ['base32', base32(`mail ${VALUE}`)],
  ['base32 of a phone', base32('call +44 20 7946 0958')],
  ['zeros between the characters', [...VALUE].join('\0')],
])('finds a value in %s', (_, encoded) => {
  expect(found(`x ${encoded} y`)).toHaveLength(1);
  expect(found(`x ${encoded} y`)[0]?.slice(-20)).toBe(encoded.slice(-20));
});

it.each([
  ['to ada.lovelace\n@example.org now', 'ada.lovelace\n@example.org'],
  ['Email: ada\r\n@example.org', 'ada\r\n@example.org'],
  ['{"text":"to ada.lovelace\\n@example.org"}', 'ada.lovelace\\n@example.org'],
])('finds an address that a line break splits: %j', (text, value) => {
  expect(found(text)).toEqual([`EMAIL ${value}`]);
});

it.each([
  'class A\n@Component.foo.bar',
  'Thanks Bob\n@jane.doe see',
  'follow us on\n@example.com',
  'a }\n@media.screen {',
])('a line that begins with @ is no address: %j', (text) => {
  expect(found(text)).toEqual([]);
});

describe('base64 of bytes that are not UTF-8', () => {
  const latin = Buffer.from(`Grüße aus Köln, Ihre Frau Müller, ${VALUE}, bis später.`, 'latin1');
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Author (', 'latin1'),
    Buffer.from(`${VALUE})>> endobj\n`),
    Buffer.alloc(200, 0x81),
  ]);
  const protobuf = Buffer.concat([Buffer.from([10, 24]), Buffer.from(VALUE), Buffer.from([0x12, 3, 0xff, 0, 1, 7, 9])]);
  const pickle = Buffer.concat([Buffer.from([0x80, 4, 0x95, 0, 0, 0]), Buffer.from(`\x8c\x18${VALUE}\x94.`, 'latin1')]);

  it.each([
    ['Latin-1', latin],
    ['a PDF', pdf],
    ['protobuf', protobuf],
    ['pickle', pickle],
    ['a long text with one other byte', Buffer.concat([Buffer.from('x'.repeat(20_000)), Buffer.from([0xff]), latin])],
  ])('is searched: %s', (_name, bytes) => {
    expect(found(JSON.stringify({ content: bytes.toString('base64') })).join()).toMatch(/^EMAIL /);
  });

  it('has no findings in random bytes, hashes and paths', () => {
    let state = 7;
    const random = Buffer.from(
      Array.from({ length: 200_000 }, () => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return state >> 16;
      }),
    );
    expect(found(random.toString('base64'))).toEqual([]);
    expect(found('src/components/userProfile2/AccountSettingsPage3/index/defaultExport/renderAll')).toEqual([]);
  });
});
