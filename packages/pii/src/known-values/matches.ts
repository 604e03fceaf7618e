import { type KnownSpellings, patternsOf } from './patterns.ts';
import { createIndex, type Pattern } from './value-index.ts';
import {
  base64Runs,
  hexRuns,
  newView,
  readBase64,
  readDigits,
  readEscaped,
  readHex,
  readPlain,
  type View,
} from './views.ts';

/** A known value in a text. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Finds known values in texts, in every spelling and encoding. */
export interface Finder {
  add(known: KnownSpellings): void;
  /** All added values. */
  readonly values: readonly KnownSpellings[];
  /** Returns all matches by their start, longer ones first. They may overlap. */
  find(text: string): Match[];
  /** Returns the most characters of one match with its context; 0 without known values. */
  reach(): number;
  /** Short texts without a known value, also in their encodings. It is empty after each new value. */
  readonly clean: CleanTexts;
}

/** Texts that need no search. */
export interface CleanTexts {
  has(text: string): boolean;
  add(text: string): void;
}

const MAX_CLEAN_TEXTS = 4_096;
const MAX_CLEAN_CHARACTERS = 64;

/** The longest escape of one unit: `\u0041`. */
const ESCAPE_CHARACTERS = 6;
/** Characters next to a match that decide whether it counts. */
export const CONTEXT_CHARACTERS = 16;
const WORD = /[\p{L}\p{N}_]/u;
/** The rest of an identifier before and after one of its words. */
const ID_BEFORE = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*[.-]$/u;
const ID_AFTER = /^[.-][\p{L}\p{N}_.-]*[\p{L}\p{N}_]/u;
const HEX_SHIFTS = [0, 1];
const BASE64_SHIFTS = [0, 1, 2, 3];

/** Returns a finder without values. */
export function createFinder(): Finder {
  const texts = createIndex();
  const digits = createIndex();
  const view = newView();
  const clean = new Set<string>();
  const values: KnownSpellings[] = [];

  return {
    clean: {
      has: (text) => clean.has(text),
      add(text) {
        if (text.length <= MAX_CLEAN_CHARACTERS && clean.size < MAX_CLEAN_TEXTS) clean.add(text);
      },
    },
    values,
    add(known) {
      values.push(known);
      clean.clear();
      const patterns = patternsOf(known);
      for (const pattern of patterns.texts) texts.add(pattern);
      for (const pattern of patterns.digits) digits.add(pattern);
    },
    reach() {
      const longest = Math.max(texts.longest(), digits.longest());
      return longest === 0 ? 0 : longest * ESCAPE_CHARACTERS + CONTEXT_CHARACTERS;
    },
    find(text) {
      const matches: Match[] = [];
      const scan = (accept: (start: number, end: number, pattern: Pattern, first: number, last: number) => boolean) =>
        texts.scan(view.units, view.length, (first, last, pattern) => {
          const start = view.starts[first] ?? 0;
          const end = view.ends[last - 1] ?? 0;
          if (!accept(start, end, pattern, first, last)) return false;
          matches.push({ start, end, name: pattern.name });
          return true;
        });
      // In an escaped text, "%20Ada" is a whole word: its neighbours are the decoded ones.
      const inText = (start: number, end: number, { edges, words, exact }: Pattern, first: number, last: number) =>
        (exact === undefined || text.slice(start, end) === exact) &&
        !((edges || words) && (isWordAt(view, first - 1) || isWordAt(view, last))) &&
        !(words && isInIdentifier(text, start, end));
      const encoded = (_: number, __: number, { edges }: Pattern) => !edges;

      readPlain(view, text);
      scan(inText);
      if (readEscaped(view, text)) scan(inText);
      const hex = hexRuns(text);
      for (const shift of hex.length > 0 ? HEX_SHIFTS : []) {
        readHex(view, text, hex, shift);
        scan(encoded);
      }
      const base64 = base64Runs(text);
      for (const shift of base64.length > 0 ? BASE64_SHIFTS : []) {
        readBase64(view, text, base64, shift);
        scan(encoded);
      }
      if (digits.longest() > 0 && readDigits(view, text)) {
        digits.scan(view.units, view.length, (first, last, pattern) => {
          if (pattern.edges && (isDigit(view, first - 1) || isDigit(view, last))) return false;
          matches.push({ start: view.starts[first] ?? 0, end: view.ends[last - 1] ?? 0, name: pattern.name });
          return true;
        });
      }
      return matches.sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

/** Checks for an identifier around whole words: `ada-lovelace-17`, `team_ada`, `ada.lovelace` in lower case. */
function isInIdentifier(text: string, start: number, end: number): boolean {
  const before = ID_BEFORE.exec(text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start))?.[0] ?? '';
  const after = ID_AFTER.exec(text.slice(end, end + CONTEXT_CHARACTERS))?.[0] ?? '';
  const around = before + after;
  return around !== '' && (/[\d_]/.test(around) || isLowerCase(around + text.slice(start, end)));
}

function isWordAt({ units, length }: View, at: number): boolean {
  return at >= 0 && at < length && WORD.test(String.fromCharCode(units[at] ?? 0));
}

function isLowerCase(text: string): boolean {
  return text === text.toLowerCase() && text !== text.toUpperCase();
}

function isDigit({ units, length }: View, at: number): boolean {
  const unit = at >= 0 && at < length ? (units[at] ?? 0) : 0;
  return unit >= 0x30 && unit <= 0x39;
}
