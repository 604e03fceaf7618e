import { PART_CHARACTERS, type Steps } from '../slices.ts';
import type { EscapeStyle, Escaping } from './escape-style.ts';
import { HTML } from './html.ts';
import { PERCENT } from './percent.ts';
import { QUOTED } from './quoted-printable.ts';

const ESCAPINGS: readonly Escaping[] = [PERCENT, HTML, QUOTED];
/** The longest encoded placeholder, with every character encoded. */
const MAX_ENCODED_CHARACTERS = 320;
const OPENERS = /%(?:25){0,3}5[Bb]|&(?:amp;){0,3}(?:#0{0,4}91|#[xX]0{0,4}5[bB]|lsqb|lbrack);|=5B/g;
const CLOSERS = /\]|%(?:25){0,3}5[Dd]|&(?:amp;){0,3}(?:#0{0,4}93|#[xX]0{0,4}5[dD]|rsqb|rbrack);|=5D/;
const FULL = /^(?:(?:%[0-9A-Fa-f]{2})+|(?:&#[xX]?[0-9A-Fa-f]+;)+|(?:=[0-9A-F]{2})+)$/;
const TILDE = /^(?:~|%(?:25){0,3}7[Ee]|&(?:amp;){0,3}(?:#126|#[xX]7[eE]);|=7E)/;
/** The encoding of an encoding: `%255B`, `&amp;#91;`. */
const MAX_LEVELS = 4;

/** A placeholder with encoded brackets. */
export interface EncodedPlaceholder {
  readonly start: number;
  readonly end: number;
  /** The placeholder with plain brackets. */
  readonly plain: string;
  /** Returns a value in the same encoding. */
  readonly encode: (value: string) => string;
  /** The encoded placeholder with one escape more, and with one less. */
  readonly escaped: string;
  readonly unescaped: string;
}

/** Returns whether a text may have a placeholder with encoded brackets. */
export function mayHaveEncodedBracket(text: string): boolean {
  if (!text.includes('5B') && !text.includes('5b') && !text.includes('&')) return false;
  return text.search(OPENERS) >= 0;
}

/** Returns the steps to the placeholders with encoded brackets in a text, in order. */
export function* encodedPlaceholderSteps(text: string): Steps<EncodedPlaceholder[]> {
  const found: EncodedPlaceholder[] = [];
  if (!mayHaveEncodedBracket(text)) return found;
  let pauseAt = PART_CHARACTERS;
  // Each call has its own position: other work may search during a pause.
  for (const { 0: opener, index } of text.matchAll(OPENERS)) {
    if (index >= pauseAt) {
      yield;
      pauseAt = index + PART_CHARACTERS;
    }
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const near = text.slice(index, index + MAX_ENCODED_CHARACTERS);
    const closer = CLOSERS.exec(near);
    if (closer === null) continue;
    const encoded = near.slice(0, closer.index + closer[0].length);
    const read = readLevels(encoded);
    const rest = encoded.slice(opener.length);
    const forms = { escaped: `${opener}~${rest}`, unescaped: opener + rest.replace(TILDE, '') };
    if (read) found.push({ start: index, end: index + encoded.length, ...read, ...forms });
  }
  return found;
}

function readLevels(encoded: string) {
  const escaping = ESCAPINGS.find(({ sign }) => encoded.startsWith(sign));
  const [standard] = escaping?.styles ?? [];
  if (escaping === undefined || standard === undefined) return undefined;
  const forms = [encoded];
  let plain = encoded;
  while (!plain.startsWith('[')) {
    const decoded = escaping.decode(plain);
    if (decoded === undefined || decoded === plain || forms.length > MAX_LEVELS) return undefined;
    forms.unshift(decoded);
    plain = decoded;
  }
  if (!plain.endsWith(']')) return undefined;
  const [, inner = '', ...outer] = forms;
  const style = styleOf(escaping.styles, inner) ?? standard;
  return { plain, encode: (value: string) => outer.reduce((written) => standard.encode(written), style.encode(value)) };
}

function styleOf(styles: readonly EscapeStyle[], encoded: string): EscapeStyle | undefined {
  const isFull = FULL.test(encoded);
  return styles.find(
    (style) =>
      encoded.startsWith(style.open) &&
      encoded.endsWith(style.close) &&
      (style.isFull === true) === isFull &&
      (isFull || encoded.includes(style.underscore ?? '_')),
  );
}

function placed(style: EscapeStyle, placeholder: string): string {
  if (style.isFull) return style.encode(placeholder);
  const inside = placeholder.slice(1, -1);
  const { open, close, underscore } = style;
  return open + (underscore === undefined ? inside : inside.replaceAll('_', underscore)) + close;
}

/** A value in an encoding, decoded, and the form of its placeholder in the same encoding. */
export interface EncodedValue {
  readonly text: string;
  readonly place: (placeholder: string) => string;
}

/** Types whose values have spaces, and no plus signs. */
const SPACED_TYPES: ReadonlySet<string> = new Set(['NAME', 'ADDRESS']);

/** Decodes a value whose characters are encoded. Returns undefined if no style writes it the same. */
export function readEncodedValue(encoded: string, type: string): EncodedValue | undefined {
  const hasPlus = SPACED_TYPES.has(type) && encoded.includes('+');
  for (const { sign, decode, styles } of ESCAPINGS) {
    if (!encoded.includes(sign) && !(hasPlus && sign === '%')) continue;
    const decoded = decode(encoded);
    const spaced = hasPlus ? decode(encoded.replaceAll('+', '%20')) : undefined;
    for (const style of styles) {
      const text = style.hasPlus ? spaced : decoded;
      if (text === undefined || text === encoded || style.encode(text) !== encoded) continue;
      const inner = style === styles[0] && text.includes(sign) ? readEncodedValue(text, type) : undefined;
      if (inner) return { text: inner.text, place: (placeholder) => style.encode(inner.place(placeholder)) };
      return { text, place: (placeholder) => placed(style, placeholder) };
    }
  }
  return undefined;
}
