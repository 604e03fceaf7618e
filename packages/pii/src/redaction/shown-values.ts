import { BASE64_CHARACTERS, nextRunSteps, type Run, runEndSteps } from '../encodings/bytes/runs.ts';
import { type Edit, withEditsSteps } from '../encodings/layer.ts';
import { byStartAndLength, inOrderSteps } from '../in-order.ts';
import { type Leaf, mapSteps, visitSteps } from '../json-walk.ts';
import { createIndex, scanSteps, type ValueIndex } from '../known-values/value-index.ts';
import { partEnd } from '../placeholder.ts';
import { atOnceIfShort, inSlices, type Later, PART_CHARACTERS, PART_ITEMS, type Steps } from '../slices.ts';

/** A text that is written in place of a placeholder. */
export interface Written {
  readonly text: string;
  /** Set for a JSON number, which is written without quotes. */
  readonly isNumber: boolean;
}

/** Returns the text for the placeholder with a name; undefined if it stays. */
export type TextFor = (name: string) => Written | undefined;

const NAMES = /\[([A-Z][A-Z0-9_]{1,23}_\d{1,9})\]/g;
/** A placeholder alone. Programs may have changed its case. */
const ANY_CASE = /\[([A-Z][A-Z0-9_]{1,23}_\d{1,9})\]/gi;
/** The shortest base64 that is searched for placeholders. */
const MIN_BASE64 = 12;
const BASE64_RUN = /[A-Za-z\d+/_-]{12}/;
/** A line break of a text or of JSON text. */
const LINE_BREAK = /\r?\n|(?:\\r)?\\n/y;
const ESCAPED_LINE_BREAKS = /(?:\\r)?\\n/g;

/** Checks quickly whether a text may have placeholders, also in base64. */
export function mayHaveNames(text: string): boolean {
  return text.length > PART_CHARACTERS || text.includes('[') || BASE64_RUN.test(text);
}

/** Returns the steps that add the names of the placeholders in a text, in their exact form. */
export function* nameSteps(text: string, names: Set<string>): Steps {
  if (!text.includes('[')) return;
  for (let at = 0, end = 0; at < text.length; at = end) {
    if (at > 0) yield;
    end = partEnd(text, at);
    for (const [, name = ''] of text.slice(at, end).matchAll(NAMES)) names.add(name);
  }
}

/** Returns the steps to the names of the placeholders in the texts and keys of a value. */
export function* namesInValueSteps(value: unknown): Steps<Set<string>> {
  const names = new Set<string>();
  const read = (text: string) => atOnceIfShort(text.length, nameSteps(text, names));
  yield* visitSteps(value, { leaf: (leaf) => (typeof leaf === 'string' ? read(leaf) : undefined), key: read });
  return names;
}

/** Returns the steps to a text or JSON text with texts in place of placeholders. The texts have no character that JSON escapes. */
export function* writeSteps(text: string, textFor: TextFor): Steps<string> {
  const edits: Edit[] = [];
  let last = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    if (at > 0) yield;
    end = partEnd(text, at);
    for (const { 0: whole, 1: name = '', index } of text.slice(at, end).matchAll(ANY_CASE)) {
      const place = { start: at + index, end: at + index + whole.length };
      const quoted = withQuotes(text, place, last);
      last = quoted.end;
      const written = textFor(name.toUpperCase());
      if (written) edits.push({ ...(written.isNumber ? quoted : place), text: written.text });
    }
  }
  return edits.length === 0 ? text : yield* withEditsSteps(text, edits);
}

/** Returns the place of a placeholder with the quotes of a JSON text around it, which may be escaped, if it has both. */
function withQuotes(text: string, { start, end }: Run, from: number): Run {
  let escapes = 0;
  while (text[end + escapes] === '\\') escapes++;
  const opener = start - 1 - escapes;
  if (text[end + escapes] !== '"' || opener < from) return { start, end };
  return text.slice(opener, start) === text.slice(end, end + escapes + 1)
    ? { start: opener, end: end + escapes + 1 }
    : { start, end };
}

/** Returns the steps that add the names of the placeholders in base64 of a text. */
export function* encodedNameSteps(text: string, names: Set<string>): Steps {
  let pauseAt = PART_CHARACTERS;
  for (let next = 0; next < text.length; ) {
    if (next >= pauseAt) {
      yield;
      pauseAt = next + PART_CHARACTERS;
    }
    const found = yield* nextRunSteps(text, next, BASE64_CHARACTERS, MIN_BASE64, next + PART_CHARACTERS);
    if (found === undefined) {
      next += PART_CHARACTERS;
      continue;
    }
    next = yield* lineSteps(text, found.end);
    const run = text.slice(found.start, next);
    // Decoding ignores line breaks, but not those that JSON escapes.
    const bytes = Buffer.from(run.includes('\\') ? run.replaceAll(ESCAPED_LINE_BREAKS, '') : run, 'base64');
    if (run.length > PART_CHARACTERS) yield;
    if (bytes.includes('[')) yield* nameSteps(bytes.toString('latin1'), names);
  }
}

/** Returns the steps to the end of base64 or base64url whose first line ends at an offset. */
function* lineSteps(text: string, firstEnd: number): Steps<number> {
  let end = firstEnd;
  for (let line = 0; ; line++) {
    if (line % PART_ITEMS === PART_ITEMS - 1) yield;
    LINE_BREAK.lastIndex = end;
    if (!LINE_BREAK.test(text)) return end;
    const start = LINE_BREAK.lastIndex;
    const next = yield* runEndSteps(text, start, BASE64_CHARACTERS);
    if (next === start) return end;
    end = next;
  }
}

/** The values that a program sees in place of their placeholders. */
export interface ShownValues {
  add(name: string, value: Written): void;
  has(name: string): boolean;
  readonly size: () => number;
  /** Returns a text or JSON text with the values in place of their placeholders. */
  reveal(text: string): string | Promise<string>;
  /** Returns a text with placeholders in place of the values. */
  conceal(text: string): string | Promise<string>;
  /** Returns a JSON value with placeholders in place of the values. */
  concealValue(value: unknown): unknown;
}

/** A letter or digit: a value inside of a longer word is another word. */
const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;

/** Creates an empty collection. */
export function createShownValues(): ShownValues {
  const values = new Map<string, Written>();
  const names = new Map<string, string>();
  let index: ValueIndex | undefined;

  const conceal = (text: string): Later<string> => atOnceIfShort(text.length, concealSteps(text));
  function* concealSteps(text: string): Steps<string> {
    const found: Edit[] = [];
    if (index)
      yield* scanSteps(index, text, (start, end, { folded }) => {
        const isWord =
          !WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start)) && !WORD_AFTER.test(text.slice(end, end + 2));
        if (isWord) found.push({ start, end, text: `[${names.get(folded) ?? ''}]` });
        return isWord;
      });
    if (found.length === 0) return text;
    // At one position, the longest counts.
    let last = 0;
    const edits = (yield* inOrderSteps(found, byStartAndLength)).filter(({ start, end }) => {
      if (start < last) return false;
      last = end;
      return true;
    });
    return yield* withEditsSteps(text, edits);
  }
  const concealLeaf = (leaf: Leaf) => {
    if (typeof leaf === 'string') return conceal(leaf);
    const name = names.get(String(leaf));
    return name !== undefined && values.get(name)?.isNumber ? `[${name}]` : leaf;
  };
  return {
    add(name, value) {
      values.set(name, value);
      names.set(value.text, name);
      index ??= createIndex();
      index.add({ name, folded: value.text, edges: false, words: false, exact: undefined });
    },
    has: (name) => values.has(name),
    size: () => values.size,
    reveal: (text) => (values.size === 0 ? text : inSlices(writeSteps(text, (name) => values.get(name)))),
    conceal: (text) => (values.size === 0 ? text : inSlices(concealSteps(text))),
    concealValue: (value) => (values.size === 0 ? value : inSlices(mapSteps(value, concealLeaf, (key) => key))),
  };
}
