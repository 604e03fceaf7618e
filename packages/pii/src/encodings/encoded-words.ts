import { isUtf8 } from 'node:buffer';
import type { Steps } from '../slices.ts';
import { toBytes } from './charset.ts';
import { type Edit, type Layer, withEdits } from './layer.ts';

/** An encoded-word of RFC 2047. */
const WORDS = /=\?([\w-]{1,32})\?(?:[Bb]\?([A-Za-z0-9+/]{1,4000}={0,2})|[Qq]\?([!->@-~]{1,4000}))\?=/g;
const LATIN = /^(?:iso-8859-1|latin1|windows-1252)$/i;
const UNICODE = /^(?:utf-?8|us-ascii)$/i;

type WordCharset = 'utf8' | 'latin1';

/** Returns the steps to the encoded-words of a mail header in a text, in order. */
export function* encodedWordSteps(text: string): Steps<Layer[]> {
  const layers: Layer[] = [];
  if (!text.includes('=?')) return layers;
  for (const { 0: word, 1: name = '', 2: base64, 3: quoted, index } of text.matchAll(WORDS)) {
    const charset = UNICODE.test(name) ? 'utf8' : LATIN.test(name) ? 'latin1' : undefined;
    if (charset === undefined) continue;
    const start = index + word.length - 2 - (base64 ?? quoted ?? '').length;
    const layer =
      base64 === undefined ? quotedLayer(quoted ?? '', start, charset) : base64Layer(base64, start, charset);
    if (layer) layers.push(layer);
    yield;
  }
  return layers;
}

function base64Layer(source: string, start: number, charset: WordCharset): Layer | undefined {
  const bytes = Buffer.from(source, 'base64');
  if (bytes.toString('base64') !== source || (charset === 'utf8' && !isUtf8(bytes))) return undefined;
  const text = bytes.toString(charset);
  const lift = (edits: readonly Edit[]) => {
    const written = toBytes(withEdits(text, edits), charset).toString('base64');
    return edits.length === 0 ? [] : [{ start, end: start + source.length, text: written }];
  };
  return { start, end: start + source.length, text, lift };
}

/** How a writer encodes, and the brackets of placeholders that stand for its values. */
interface WordStyle {
  readonly open: string;
  readonly close: string;
  readonly plain: RegExp;
}

const STYLES: readonly WordStyle[] = [
  { open: '=5B', close: '=5D', plain: /[A-Za-z0-9!*+/-]/ },
  { open: '[', close: ']', plain: /[!-<>@-^`-~]/ },
];

function encode(text: string, { plain }: WordStyle, charset: WordCharset): string {
  return Array.from(toBytes(text, charset), (byte) => {
    const character = String.fromCharCode(byte);
    if (character === ' ') return '_';
    return plain.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function quotedLayer(source: string, start: number, charset: WordCharset): Layer | undefined {
  /** The byte of each character or sequence, and its offset in the source. */
  const bytes: number[] = [];
  const offsets: number[] = [];
  for (let at = 0; at < source.length; ) {
    const hex = source[at] === '=' ? source.slice(at + 1, at + 3) : undefined;
    if (hex !== undefined && !/^[0-9A-F]{2}$/.test(hex)) return undefined;
    bytes.push(hex === undefined ? (source[at] === '_' ? 32 : source.charCodeAt(at)) : Number.parseInt(hex, 16));
    offsets.push(at);
    at += hex === undefined ? 1 : 3;
  }
  const decoded = Buffer.from(bytes);
  if (charset === 'utf8' && !isUtf8(decoded)) return undefined;
  const text = decoded.toString(charset);
  const offset = (index: number) => offsets[Buffer.byteLength(text.slice(0, index), charset)] ?? source.length;
  const lift = (edits: readonly Edit[]) =>
    edits.map((edit): Edit => {
      const was = source.slice(offset(edit.start), offset(edit.end));
      const before = text.slice(edit.start, edit.end);
      const style =
        STYLES.find((one) =>
          edit.wasPlaceholder
            ? was.startsWith(one.open) && was.endsWith(one.close)
            : encode(before, one, charset) === was,
        ) ?? (STYLES[0] as WordStyle);
      const inside = (placeholder: string) => placeholder.slice(1, -1).replaceAll('_', '=5F');
      const now =
        edit.isPlaceholder && edit.text.startsWith('[')
          ? style.open + inside(edit.text) + style.close
          : encode(edit.text, style, charset);
      return { ...edit, start: start + offset(edit.start), end: start + offset(edit.end), text: now };
    });
  return { start, end: start + source.length, text, lift };
}
