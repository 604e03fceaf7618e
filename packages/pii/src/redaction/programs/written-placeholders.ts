import { BASE64_CHARACTERS, nextRunSteps, type Run, runEndSteps } from '../../encodings/bytes/runs.ts';
import { type Edit, withEditsSteps } from '../../encodings/layer.ts';
import { visitSteps } from '../../json-walk.ts';
import { partEnd } from '../../placeholder.ts';
import { atOnceIfShort, PART_CHARACTERS, PART_ITEMS, type Steps } from '../../slices.ts';

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
