import { PART_CHARACTERS, type Steps } from '../slices.ts';
import { unescapeSteps } from './json-string.ts';
import type { Edit, Layer } from './layer.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const SCALAR = /-?\d[\d.eE+-]{0,400}|true|false|null/y;
/** Longer runs are read in parts: the expression fails on millions of characters. */
const STRUCTURE = /[\s{}[\],:]{1,1000}/y;
const BEGINNING = /^\s{0,100}[[{]\s{0,100}["[\]{}\d\-tfn]/;

/** A string of a JSON document without its quotes, or a number. */
export interface JsonToken {
  readonly start: number;
  readonly end: number;
  readonly isNumber: boolean;
  readonly isEscaped: boolean;
}

/** Returns whether a text begins as a JSON document. */
export function looksLikeJson(text: string): boolean {
  return BEGINNING.test(text);
}

/** Returns the strings and numbers of a JSON document, or of its part before an error. */
export function* tokenSteps(text: string): Steps<JsonToken[]> {
  const tokens: JsonToken[] = [];
  let pauseAt = PART_CHARACTERS;
  for (let at = 0; at < text.length; ) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + PART_CHARACTERS;
    }
    STRUCTURE.lastIndex = at;
    if (STRUCTURE.test(text)) {
      at = STRUCTURE.lastIndex;
      continue;
    }
    if (text.charCodeAt(at) === QUOTE) {
      const token = stringAt(text, at + 1);
      if (token === undefined) break;
      tokens.push(token);
      at = token.end + 1;
      continue;
    }
    SCALAR.lastIndex = at;
    if (!SCALAR.test(text)) break;
    const isNumber = /[-\d]/.test(text.charAt(at));
    if (isNumber) tokens.push({ start: at, end: SCALAR.lastIndex, isNumber, isEscaped: false });
    at = SCALAR.lastIndex;
  }
  return tokens;
}

function stringAt(text: string, start: number): JsonToken | undefined {
  let isEscaped = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { start, end: at, isNumber: false, isEscaped };
    if (code === BACKSLASH) {
      isEscaped = true;
      at++;
    } else if (code < 32) return undefined;
  }
  return undefined;
}

/** How a writer of JSON escapes, and the brackets of placeholders that stand for its values. */
interface Style {
  readonly open: string;
  readonly close: string;
  readonly write: (text: string) => string;
}

const standard = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const upper = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
const NOT_ASCII = /[^ -~]/g;
const ascii = (text: string) => standard(text).replaceAll(NOT_ASCII, unicode);
const slashed = (write: (text: string) => string) => (text: string) => write(text).replaceAll('/', '\\/');
/** The writers of JavaScript, Python, .NET, PHP and Go. */
const STYLES: readonly Style[] = [
  { open: '[', close: ']', write: standard },
  { open: '\\u005b', close: '\\u005d', write: ascii },
  { open: '\\u005B', close: '\\u005D', write: (text) => standard(text).replaceAll(NOT_ASCII, upper) },
  { open: '[', close: '\\u005d', write: slashed(standard) },
  { open: '\\u005b', close: ']', write: slashed(ascii) },
  { open: '\\u005B', close: ']', write: (text) => standard(text).replaceAll(/[<>&\u2028\u2029]/g, unicode) },
];

/** Returns the decoded string of a token. */
export function* stringLayer(text: string, { start, end }: JsonToken): Steps<Layer> {
  const source = text.slice(start, end);
  const plain = yield* unescapeSteps(source);
  const from = (index: number) => plain.start(index);
  const to = (index: number) => (index === 0 ? 0 : plain.end(index - 1));
  return {
    start,
    end,
    text: plain.text,
    isJsonString: true,
    inner(outer) {
      let low = 0;
      let high = plain.text.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (from(middle) < outer - start) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    lift: (edits) =>
      edits.map((edit) => {
        const was = source.slice(from(edit.start), to(edit.end));
        const text = rewritten(was, plain.text.slice(edit.start, edit.end), edit);
        return { ...edit, start: start + from(edit.start), end: start + to(edit.end), text };
      }),
  };
}

/** Returns the escaped form of a new text, in the style of the escaped form before. A placeholder has it in its brackets. */
function rewritten(was: string, before: string, { text, wasPlaceholder, isPlaceholder }: Edit): string {
  const style = STYLES.find(({ open, close, write }) =>
    wasPlaceholder ? was.startsWith(open) && was.endsWith(close) : write(before) === was,
  );
  if (style === undefined) return standard(text);
  if (!(isPlaceholder && text.startsWith('[') && text.endsWith(']'))) return style.write(text);
  return style.open + standard(text.slice(1, -1)) + style.close;
}
