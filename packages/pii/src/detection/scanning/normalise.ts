import type { NormalText } from '../../encodings/json-string.ts';
import { atOnce, PART_CHARACTERS, type Steps } from '../../slices.ts';

/** Characters that are searched at once, and of the longest match of `ENCODED` with its context. */
const WINDOW_CHARACTERS = 65_536;
const OVERLAP_CHARACTERS = 256;
const UNKNOWN = 0xffff;
const REMOVED = 0xfffe;
/** The normalised form of each UTF-16 unit; filled on first use. */
const UNITS = new Uint16Array(0x10000).fill(UNKNOWN);
const INVISIBLE = /^[\0\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u00ad]$/u;
const HYPHEN = /^[\p{Dash_Punctuation}\u2212]$/u;
const SPACE = /^\p{Space_Separator}$/u;
const DOT = /^[\u2024\u3002\uff0e\uff61]$/;
const DIGIT = /^\p{Decimal_Number}$/u;
/** A superscript figure is usually a footnote and not a digit of a number. */
const RAISED = /^[\u00b2\u00b3\u00b9\u2070-\u209f]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII, and zeros
const NOT_ASCII = /[^\x01-\x7f]/;
const ENCODED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
  /%(?:25)?[2-7][0-9A-Fa-f]|&(?:#|commat;|nbsp;|period;|plus;|shy;|hyphen;|dash;|lpar;|rpar;|colon;|zwnj;|zwj;|amp;)|\\u00[2-7][0-9A-Fa-f]|\\x[2-7][0-9A-Fa-f]|\[[.@:]\]|=40(?=[A-Za-z0-9-]{0,62}[A-Za-z][A-Za-z0-9-]{0,62}[.=])|[\w@.+-]=\r?\n[\w@.+-]|\x1b\[/;
const ONE_ENCODED =
  /%(?:25)?([2-7][0-9A-Fa-f])|&(?:amp;)?#(\d{2,6});|&(?:amp;)?#[xX]([0-9A-Fa-f]{2,5});|\\u(00[2-7][0-9A-Fa-f])|\\x([2-7][0-9A-Fa-f])|&(?:amp;)?(commat|nbsp|period|plus|shy|hyphen|dash|lpar|rpar|colon|zwnj|zwj);|=(40)(?=[A-Za-z0-9-]{0,62}[A-Za-z][A-Za-z0-9-]{0,62}[.=])|=(2E)(?=[A-Za-z])|=\r?(\n)|\[([.@:])\]/y;
const NAMED: Readonly<Record<string, number>> = {
  commat: 0x40,
  nbsp: 0x20,
  period: 0x2e,
  plus: 0x2b,
  hyphen: 0x2d,
  dash: 0x2d,
  lpar: 0x28,
  rpar: 0x29,
  colon: 0x3a,
  shy: REMOVED,
  zwnj: REMOVED,
  zwj: REMOVED,
};
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
/** Quoted-printable: `=40`, and `=` at a soft line break. */
const EQUALS = 0x3d;
/** The colours of a terminal: `ESC[32m`. */
const ESCAPE = 0x1b;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
const COLOUR = /\x1b\[[\d;]{0,24}m/y;
/** Defanged addresses: `192[.]0[.]2[.]1`. */
const BRACKET = 0x5b;

/**
 * Replaces characters by their plain forms: full-width characters, digits of other scripts, and unusual spaces, hyphens
 * and dots. Decodes single characters in URL, HTML, `\u` or quoted-printable encoding. Removes invisible characters.
 * Returns undefined if nothing changes. Takes time in proportion to the length.
 */
export function normalise(text: string): NormalText | undefined {
  return atOnce(normaliseSteps(text));
}

/** Returns the steps of {@link normalise}. */
export function* normaliseSteps(text: string): Steps<NormalText | undefined> {
  const encoded = yield* hasMatch(ENCODED, text);
  if (!encoded && !(yield* hasMatch(NOT_ASCII, text))) return undefined;
  const units = new Uint16Array(text.length);
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  let length = 0;
  let changed = false;
  let pauseAt = PART_CHARACTERS;
  for (let at = 0; at < text.length; ) {
    if (at >= pauseAt) {
      pauseAt = at + PART_CHARACTERS;
      yield;
    }
    const unit = text.charCodeAt(at);
    let next = at + 1;
    let folded = unit < 0x80 && unit > 0 ? unit : (UNITS[unit] ?? unit);
    if (folded === UNKNOWN) folded = learn(unit);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const point = text.codePointAt(at) ?? unit;
      if (point > 0xffff) {
        folded = foldPair(point);
        if (folded === UNKNOWN) folded = unit;
        else next = at + 2;
      }
    } else if (encoded && unit === ESCAPE) {
      COLOUR.lastIndex = at;
      if (COLOUR.test(text)) {
        folded = REMOVED;
        next = COLOUR.lastIndex;
      }
    } else if (
      encoded &&
      (unit === PERCENT || unit === AMPERSAND || unit === BACKSLASH || unit === EQUALS || unit === BRACKET)
    ) {
      ONE_ENCODED.lastIndex = at;
      const match = ONE_ENCODED.exec(text);
      if (match) {
        folded = decoded(match);
        next = ONE_ENCODED.lastIndex;
      }
    }
    if (folded !== unit || next !== at + 1) changed = true;
    if (folded !== REMOVED) {
      units[length] = folded;
      starts[length] = at;
      ends[length++] = next;
    }
    at = next;
  }
  if (!changed) return undefined;
  return {
    text: Buffer.from(units.buffer, 0, length * 2).toString('utf16le'),
    start: (index) => starts[index] ?? text.length,
    end: (index) => ends[index] ?? text.length,
  };
}

/** Searches a long text in windows that overlap by more than the longest match. */
function* hasMatch(pattern: RegExp, text: string): Steps<boolean> {
  if (text.length <= WINDOW_CHARACTERS) return pattern.test(text);
  for (let at = 0; at < text.length; at += WINDOW_CHARACTERS) {
    if (pattern.test(text.slice(at, at + WINDOW_CHARACTERS + OVERLAP_CHARACTERS))) return true;
    yield;
  }
  return false;
}

function learn(unit: number): number {
  const folded = unit >= 0xd800 && unit <= 0xdfff ? unit : fold(unit);
  UNITS[unit] = folded;
  return folded;
}

function fold(point: number): number {
  const character = String.fromCodePoint(point);
  if (INVISIBLE.test(character)) return REMOVED;
  if (HYPHEN.test(character)) return 0x2d;
  if (SPACE.test(character)) return 0x20;
  if (DOT.test(character)) return 0x2e;
  if (DIGIT.test(character)) return 0x30 + digitValue(point);
  if (RAISED.test(character)) return point;
  const compatible = character.normalize('NFKC');
  return compatible.length === 1 && compatible.charCodeAt(0) < 0x80 ? compatible.charCodeAt(0) : point;
}

/** Returns the form of a character outside of the basic plane: one unit, `REMOVED`, or `UNKNOWN` for no change. */
function foldPair(point: number): number {
  const folded = fold(point);
  return folded === point ? UNKNOWN : folded;
}

/** Returns the value of a digit. Unicode has decimal digits in runs of ten; the mathematical ones are five adjacent runs. */
function digitValue(point: number): number {
  if (point >= 0x1d7ce && point <= 0x1d7ff) return (point - 0x1d7ce) % 10;
  let zero = point;
  while (point - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return point - zero;
}

function decoded([
  ,
  percent,
  decimal,
  hex,
  escaped,
  short,
  name,
  quoted,
  quotedPoint,
  line,
  bracketed,
]: RegExpExecArray): number {
  if (line !== undefined) return REMOVED;
  if (bracketed !== undefined) return bracketed.charCodeAt(0);
  if (name !== undefined) return NAMED[name] ?? 0x20;
  const point =
    decimal === undefined
      ? Number.parseInt(percent ?? hex ?? escaped ?? short ?? quoted ?? quotedPoint ?? '20', 16)
      : Number(decimal);
  if (point < 0x20 || point > 0xffff) return 0x20;
  return point < 0x80 ? point : learn(point);
}
