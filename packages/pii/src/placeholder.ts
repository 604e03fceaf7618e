import { PiiError } from './errors.ts';
import { atOnce, PART_CHARACTERS, type Steps } from './slices.ts';

/** Matches the name of a placeholder, `EMAIL_1`: its type and its number. In texts it has square brackets. */
export const PLACEHOLDER_NAME: RegExp = /^([A-Z][A-Z0-9_]{1,23})_(\d{1,9})$/;
const ONLY_PLACEHOLDER = /^\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]$/;
/** Highest number of a placeholder. */
export const MAX_PLACEHOLDER_NUMBER = 999_999_999;
/** The longest name: a type of 24 characters, an underscore, 9 digits. */
const MAX_NAME_CHARACTERS = 34;
/** Characters without meaning that one placeholder may contain. */
const MAX_SKIPPED_CHARACTERS = 64;
/** Escapes that one text can have. */
const MAX_ESCAPES = 64;
/** Characters of the longest placeholder in a text. A stream holds back at most as many. */
export const MAX_PLACEHOLDER_CHARACTERS: number = MAX_NAME_CHARACTERS + MAX_SKIPPED_CHARACTERS + MAX_ESCAPES + 4;

/** A part of a text that looks like a placeholder. */
export interface LookAlike {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly type: string;
  /** Tildes after the bracket: 0 is a placeholder, more is an escaped text. */
  readonly escapes: number;
  /** The offset of the tildes, or the offset to insert one. */
  readonly escapeAt: number;
}

const NO_TYPES: ReadonlySet<string> = new Set();
const ESCAPE = '~';
const OPENERS = /[[\uFF3B]/g;
const CLOSERS = ']\uFF3D';
const FULL_WIDTH_SHIFT = 0xfee0;
/** Spaces, invisible characters and backticks, which models insert into placeholders. */
const SKIPPED = /^[ \t`\u00A0\u00AD\u180E\u2000-\u200F\u202A-\u202F\u205F-\u2064\u2066-\u2069\u3000\uFEFF]$/;

/** Returns whether a text is only a placeholder in its usual form. */
export function isOnlyPlaceholder(text: string): boolean {
  return ONLY_PLACEHOLDER.test(text);
}

/** Returns the placeholder with a name in the form for texts. */
export function writePlaceholder(name: string): string {
  return `[${name}]`;
}

/**
 * Finds the placeholders and escaped placeholders of a text, from left to right. The exact form `[EMAIL_1]` counts for every
 * type. Variants that models write (other case, backticks, spaces or invisible characters inside, escaped brackets and
 * underscores, full-width forms) count only for `types`: `row[col_1]` is none. Without `types`, no variant counts.
 */
export function readPlaceholders(text: string, types?: ReadonlySet<string>): LookAlike[] {
  return atOnce(placeholderSteps(text, types));
}

/** Returns the steps of {@link readPlaceholders}. */
export function* placeholderSteps(text: string, types: ReadonlySet<string> = NO_TYPES): Steps<LookAlike[]> {
  const found: LookAlike[] = [];
  if (!mayHavePlaceholder(text)) return found;
  let pauseAt = PART_CHARACTERS;
  OPENERS.lastIndex = 0;
  for (let opener = OPENERS.exec(text); opener; opener = OPENERS.exec(text)) {
    const read = readPlain(text, opener.index) ?? readAt(text, opener.index, types);
    if (typeof read === 'object') found.push(read);
    if (opener.index < pauseAt) continue;
    yield;
    pauseAt = opener.index + PART_CHARACTERS;
    // Other work uses the expression during the pause.
    OPENERS.lastIndex = opener.index + 1;
  }
  return found;
}

/** Returns whether a text has a bracket that may open a placeholder. */
export function mayHavePlaceholder(text: string): boolean {
  return text.includes('[') || text.includes('\uFF3B');
}

/**
 * Returns where to cut a text after `at`, so that its parts are read one by one. A part has 8,192 characters, or some fewer: no
 * placeholder in its exact form and no pair of surrogates is cut.
 */
export function partEnd(text: string, at: number): number {
  const end = at + PART_CHARACTERS;
  if (end >= text.length) return text.length;
  const tail = end - MAX_NAME_CHARACTERS - 1;
  const opener = text.slice(tail, end).lastIndexOf('[');
  if (opener >= 0) return tail + opener;
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end - 1 : end;
}

/** Returns the offset at which a text may end in the beginning of a placeholder, or the length of the text. */
export function unfinishedAt(text: string, types: ReadonlySet<string>): number {
  const from = Math.max(0, text.length - MAX_PLACEHOLDER_CHARACTERS);
  OPENERS.lastIndex = from;
  for (let opener = OPENERS.exec(text); opener; opener = OPENERS.exec(text)) {
    if (readAt(text, opener.index, types) !== 'unfinished') continue;
    return text[opener.index - 1] === '\\' ? opener.index - 1 : opener.index;
  }
  return text.endsWith('\\') ? text.length - 1 : text.length;
}

/** Returns an escaped form of a look-alike of a text. Raises `PII_DENIED` after 64 escapes. */
export function escaped({ start, end, escapes, escapeAt }: LookAlike, text: string): string {
  if (escapes === MAX_ESCAPES) {
    const message = `A text contains a placeholder with ${MAX_ESCAPES} escapes, which is the limit.`;
    throw new PiiError('PII_DENIED', `${message} Do not redact redacted text again.`);
  }
  return text.slice(start, escapeAt) + ESCAPE + text.slice(escapeAt, end);
}

/** Returns an escaped look-alike of a text with one escape less. */
export function unescaped({ start, end, escapeAt }: LookAlike, text: string): string {
  return text.slice(start, escapeAt) + text.slice(escapeAt + ESCAPE.length, end);
}

const PLAIN = /\[(~{0,64})(([A-Z][A-Z0-9_]{1,23})_\d{1,9})\]/y;

/** Reads a placeholder in its exact form, which is the usual one. */
function readPlain(text: string, start: number): LookAlike | undefined {
  PLAIN.lastIndex = start;
  const [whole, tildes = '', name = '', type = ''] = PLAIN.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { start, end: start + whole.length, name, type, escapes: tildes.length, escapeAt: start + 1 };
}

/** Reads one placeholder at its bracket. A placeholder contains no bracket, so the text around it has no effect. */
function readAt(text: string, opener: number, types: ReadonlySet<string>): LookAlike | 'unfinished' | undefined {
  const escapeAt = opener + 1;
  let at = escapeAt;
  while (text[at] === ESCAPE && at - escapeAt < MAX_ESCAPES) at++;
  const escapes = at - escapeAt;
  let strict = text[opener] === '[';
  let name = '';
  for (let skipped = 0; ; at++) {
    if (at >= text.length) return 'unfinished';
    const character = text.charAt(at);
    if (CLOSERS.includes(character)) {
      strict &&= character === ']';
      return finish(at + 1, false);
    }
    const letter = nameCharacter(character);
    if (letter !== undefined) {
      strict &&= letter === character;
      name += letter;
      if (name.length > MAX_NAME_CHARACTERS) return undefined;
      continue;
    }
    strict = false;
    skipped += 1;
    if (skipped > MAX_SKIPPED_CHARACTERS) return undefined;
    if (character === '\\') {
      if (at + 1 >= text.length) return 'unfinished';
      if (text[at + 1] === ']') return finish(at + 2, true);
      if (text[at + 1] !== '_') return undefined;
    } else if (!SKIPPED.test(character)) return undefined;
  }

  function finish(end: number, escapedBracket: boolean): LookAlike | undefined {
    const type = PLACEHOLDER_NAME.exec(name)?.[1];
    if (type === undefined || !(strict || types.has(type))) return undefined;
    // `\[` belongs to the placeholder only together with `\]`: otherwise the backslash may belong to the text.
    const start = escapedBracket && text[opener - 1] === '\\' ? opener - 1 : opener;
    return { start, end, name, type, escapes, escapeAt };
  }
}

/** Returns a character of a name in upper case and not full-width, or undefined for other characters. */
function nameCharacter(character: string): string | undefined {
  const code = character.charCodeAt(0);
  const plain = code > 0xff00 && code <= 0xff5e ? code - FULL_WIDTH_SHIFT : code;
  const upper = plain >= 0x61 && plain <= 0x7a ? plain - 0x20 : plain;
  const isName = (upper >= 0x41 && upper <= 0x5a) || (upper >= 0x30 && upper <= 0x39) || upper === 0x5f;
  return isName ? String.fromCharCode(upper) : undefined;
}
