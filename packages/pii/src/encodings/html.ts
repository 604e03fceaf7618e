import type { Escaping } from './escape-style.ts';

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  commat: '@',
  period: '.',
  plus: '+',
  lsqb: '[',
  rsqb: ']',
  lbrack: '[',
  rbrack: ']',
  lowbar: '_',
};
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,31}));/g;
const SPECIAL = /[&<>"']/g;
const escapes = (apostrophe: string): Readonly<Record<string, string>> => ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": apostrophe,
});
const basic = (apostrophe: string) => {
  const table = escapes(apostrophe);
  return (text: string) => text.replaceAll(SPECIAL, (character) => table[character] ?? character);
};
const decimal = (character: string) => `&#${character.codePointAt(0)};`;
const hexadecimal = (character: string) => `&#x${character.codePointAt(0)?.toString(16)};`;
const each = (encode: (character: string) => string) => (text: string) => [...text].map(encode).join('');

/** HTML entities: the special characters, also with other characters, and whole texts. */
export const HTML: Escaping = {
  sign: '&',
  decode(encoded) {
    let isKnown = true;
    const decoded = encoded.replaceAll(ENTITY, (whole, digits, hex, name: string | undefined) => {
      const point = digits === undefined ? Number.parseInt(hex ?? 'x', 16) : Number(digits);
      if (name === undefined && point <= 0x10ffff) return String.fromCodePoint(point);
      const character = name === undefined ? undefined : NAMED[name];
      isKnown &&= character !== undefined;
      return character ?? whole;
    });
    return isKnown ? decoded : undefined;
  },
  styles: [
    { open: '&#91;', close: '&#93;', encode: basic('&#39;') },
    { open: '&#x5b;', close: '&#x5d;', encode: basic('&#x27;') },
    { open: '&#x5B;', close: '&#x5D;', encode: basic('&apos;') },
    { open: '&#91;', close: '&#x5d;', encode: (text) => basic('&#39;')(text).replaceAll('@', '&#64;') },
    { open: '&#x5b;', close: '&#93;', encode: (text) => basic('&#x27;')(text).replaceAll('@', '&#x40;') },
    { open: '&lsqb;', close: '&rsqb;', encode: (text) => basic('&#39;')(text).replaceAll('@', '&commat;') },
    { open: '&lsqb;', close: '&#93;', encode: (text) => basic('&#39;')(text).replaceAll(/[^\0-\x7f]/gu, decimal) },
    { open: '&#91;', close: '&#93;', isFull: true, encode: each(decimal) },
    { open: '&#x5b;', close: '&#x5d;', isFull: true, encode: each(hexadecimal) },
  ],
};
