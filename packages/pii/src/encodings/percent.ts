import type { Escaping } from './escape-style.ts';

const lower = (encoded: string) => encoded.replaceAll(/%[0-9A-F]{2}/g, (sequence) => sequence.toLowerCase());
const escapeAll = (text: string, pattern: RegExp) =>
  text.replaceAll(pattern, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
/** A lone surrogate has no encoding. */
const wellFormed = (text: string) => Buffer.from(text).toString();
const component = (text: string) => encodeURIComponent(wellFormed(text));
const strict = (text: string) => escapeAll(component(text), /[!'()*]/g);
const plus = (text: string) => component(text).replaceAll('%20', '+');
const form = (text: string) => escapeAll(plus(text), /[!'()~]/g);
const uri = (text: string) => encodeURI(wellFormed(text));
const full = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/** Percent-encoding of JavaScript, of RFC 3986 and of forms. Programs write the brackets of the first style. */
export const PERCENT: Escaping = {
  sign: '%',
  decode(encoded) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return undefined;
    }
  },
  styles: [
    { open: '%5B', close: '%5D', encode: component },
    { open: '%5b', close: '%5d', encode: (text) => lower(component(text)) },
    { open: '%5B', close: ']', encode: uri },
    { open: '%5B', close: '%5D', underscore: '%5F', encode: strict },
    { open: '%5b', close: '%5d', underscore: '%5f', encode: (text) => lower(strict(text)) },
    { open: '%5B', close: '%5d', hasPlus: true, encode: plus },
    { open: '%5b', close: '%5D', hasPlus: true, encode: (text) => lower(plus(text)) },
    { open: '%5B', close: '%5d', underscore: '%5F', hasPlus: true, encode: form },
    { open: '%5B', close: '%5D', isFull: true, encode: full },
    { open: '%5b', close: '%5d', isFull: true, encode: (text) => lower(full(text)) },
  ],
};
