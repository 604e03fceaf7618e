import { unescapeSteps } from '../../encodings/json-string.ts';
import { atOnce, PART_CHARACTERS, type Steps } from '../../slices.ts';
import { type KeyFacts, keyFacts, keyFactsAt, partOf, typeLabelHint } from '../hints/key-facts.ts';
import { type KeyHint, keyedHint } from '../hints/keys.ts';
import { addEntry, isNameOf, noEvidence, type ObjectEvidence } from '../hints/object-evidence.ts';
import { addToTable, closeTable, columnOfCell, openTable, type TablePart } from './json-columns.ts';

/** Kinds of characters of a string, as bits. Most strings need no further scan because of them. */
export const HAS = { digit: 1, at: 2, space: 4, letter: 8, odd: 16, escape: 32 } as const;

/** Receives every string, number and key: its offsets without quotes, and the type that its keys indicate. */
export interface JsonVisitor {
  /** `has` is a sum of `HAS`. */
  string(start: number, end: number, has: number, hint: KeyHint | undefined, facts: KeyFacts): void;
  number(start: number, end: number, hint: KeyHint | undefined): void;
}

/** A string or number whose type depends on later siblings. */
interface Waiting {
  readonly start: number;
  readonly end: number;
  /** -1 for a number. */
  readonly has: number;
  readonly facts: KeyFacts;
  readonly hint: KeyHint | undefined;
}

/** An open object or array. */
interface Frame {
  readonly array: boolean;
  /** The key of this value, or of the list around it. */
  readonly key: string;
  /** The type that the key of this value indicates. */
  readonly hint: KeyHint | undefined;
  /** The evidence for a person or a thing by the key of this value. */
  readonly inside: number;
  /** This value describes a page of a list: a `token` in it is no secret. */
  readonly paging: boolean;
  /** The key of the next value. */
  next: KeyFacts;
  /** The offsets of each `type`, `name` or `label` that may indicate the type of a neutral `value`. */
  labels: number[] | undefined;
  /** The evidence of the entries; undefined without any. */
  evidence: ObjectEvidence | undefined;
  waiting: Waiting[] | undefined;
  readonly table: TablePart;
}

const MAX_DEPTH = 256;
/** Leaves that wait for their siblings. Further ones are reported at once. */
const MAX_WAITING = 64;
const NUMBER = /-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?/y;
const SHORT_TEXT = /"([^"\\]{0,100})"/y;
const MAX_NAME_CHARS = 200;
const PAGE_TOKEN = /^token$/i;
const LITERAL = /true|false|null/y;
const MAX_TYPE_LABEL_CHARS = 64;
/** Twice the labels of an object that are read. */
const MAX_LABELS = 8;
const NO_KEY = keyFacts('');
const KEY_WITH_AT = keyFacts('id');
const KEY_WITH_DIGITS = keyFacts('key');
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** `HAS` of each ASCII character. Characters that may begin an encoded one count as odd. */
const CHARACTERS = new Uint8Array(128);
CHARACTERS.fill(HAS.digit, 48, 58);
CHARACTERS.fill(HAS.letter, 65, 91);
CHARACTERS.fill(HAS.letter, 97, 123);
CHARACTERS[64] = HAS.at;
CHARACTERS[32] = HAS.space;
CHARACTERS[0] = HAS.odd;
CHARACTERS[37] = HAS.odd;
CHARACTERS[38] = HAS.odd;
CHARACTERS[61] = HAS.odd;
CHARACTERS[BACKSLASH] = HAS.escape;
/** The kinds of characters of the last string, and the hash of the last key. */
let characters = 0;
let hash = 0;

/**
 * Reads one JSON value, or several in lines, and reports its strings, numbers and keys. Returns the offset up to which the
 * text is JSON: less than its length if it is truncated, not JSON, or nested too deeply.
 */
export function* jsonSteps(text: string, visitor: JsonVisitor): Steps<number> {
  const stack: Frame[] = [];
  const read = yield* valueSteps(text, stack, visitor);
  while (stack.length > 0) close(text, stack, visitor);
  return read;
}

function* valueSteps(text: string, stack: Frame[], visitor: JsonVisitor): Steps<number> {
  let at = skipSpace(text, 0);
  let expected: 'value' | 'after' = 'value';
  let frame: Frame | undefined;
  let pauseAt = PART_CHARACTERS;
  while (at < text.length) {
    if (at >= pauseAt) {
      pauseAt = at + PART_CHARACTERS;
      yield;
    }
    const code = text.charCodeAt(at);
    const closing = frame?.array ? CLOSE_ARRAY : CLOSE_OBJECT;
    if (frame && code === closing) {
      close(text, stack, visitor);
      frame = stack.at(-1);
      at = skipSpace(text, at + 1);
      expected = 'after';
      continue;
    }
    if (expected === 'after') {
      expected = 'value';
      if (frame === undefined) continue;
      if (code !== COMMA) return at;
      at = skipSpace(text, at + 1);
      const next = text.charCodeAt(at);
      if (next === CLOSE_ARRAY || next === CLOSE_OBJECT) return at;
      continue;
    }
    if (frame && !frame.array) {
      const end = code === QUOTE ? keyEnd(text, at) : -1;
      if (end < 0) return at;
      frame.next = partOf(keyFactsAt(text, at + 1, end, hash), frame.hint, frame.key);
      if (frame.next.mayContainPii) reportKey(at + 1, end, characters, frame.hint, visitor);
      at = skipSpace(text, end + 1);
      if (text.charCodeAt(at) !== COLON) return at;
      at = skipSpace(text, at + 1);
      addEvidence(text, at, frame);
    }
    if (frame) noteTable(text, at, frame);
    const opened = text.charCodeAt(at);
    if (opened === OPEN_OBJECT || opened === OPEN_ARRAY) {
      if (stack.length >= MAX_DEPTH) return at;
      frame = open(opened === OPEN_ARRAY, frame);
      stack.push(frame);
      at = skipSpace(text, at + 1);
      continue;
    }
    const end = scalar(text, at, frame?.table.of === 'cell' && frame.next.key === 'v' ? stack.at(-2) : frame, visitor);
    if (end < 0) return at;
    at = skipSpace(text, end);
    expected = 'after';
  }
  return at;
}

function addEvidence(text: string, at: number, frame: Frame): void {
  if (!frame.next.isEvidence) return;
  frame.evidence ??= noEvidence();
  addEntry(frame.evidence, frame.next, shortText(text, at));
}

/** Adds the value at a position to the table of its object or array, and sets the key of a cell. */
function noteTable(text: string, at: number, frame: Frame): void {
  const { table } = frame;
  table.count++;
  const lists = table.lists !== undefined || table.transposed || frame.next.key === 'majorDimension';
  if (lists && !(table.lists === 'columns' && text.charCodeAt(at) === OPEN_OBJECT)) {
    addToTable(table, frame.next.key, shortText(text, at));
  }
  if (!frame.array || (table.of !== 'row' && !table.transposed)) return;
  frame.next = columnOfCell(table) ?? NO_KEY;
  addEvidence(text, at, frame);
}

function open(array: boolean, parent: Frame | undefined): Frame {
  const facts = parent?.next ?? NO_KEY;
  const inherits = facts.hint === 'NEUTRAL' || facts === NO_KEY;
  return {
    array,
    key: facts.key,
    hint:
      facts.hint === 'ADDRESS_PART' && parent?.hint !== 'ADDRESS'
        ? 'OTHER'
        : inherits
          ? (parent?.hint ?? facts.hint)
          : facts.hint,
    inside: facts.inside === 0 && inherits ? (parent?.inside ?? 0) : facts.inside,
    paging: facts.paging || (inherits && (parent?.paging ?? false)),
    next: array ? facts : NO_KEY,
    labels: undefined,
    evidence: undefined,
    waiting: undefined,
    table: openTable(array, facts.key, parent?.table, parent?.array),
  };
}

function close(text: string, stack: Frame[], visitor: JsonVisitor): void {
  const frame = stack.pop();
  for (const leaf of frame?.waiting ?? []) settle(text, leaf, frame, visitor);
  const parent = stack.at(-1);
  if (frame && parent) closeTable(frame.table, parent.next.key, parent.table);
}

/** Reads a string, number or literal and returns its end, or -1. */
function scalar(text: string, at: number, frame: Frame | undefined, visitor: JsonVisitor): number {
  if (text.charCodeAt(at) === QUOTE) {
    const end = stringEnd(text, at);
    if (end < 0) return -1;
    note(text, at + 1, end, characters, frame, visitor);
    return end + 1;
  }
  NUMBER.lastIndex = at;
  if (NUMBER.test(text)) {
    note(text, at, NUMBER.lastIndex, -1, frame, visitor);
    return NUMBER.lastIndex;
  }
  LITERAL.lastIndex = at;
  return LITERAL.test(text) ? LITERAL.lastIndex : -1;
}

function note(
  text: string,
  start: number,
  end: number,
  has: number,
  frame: Frame | undefined,
  visitor: JsonVisitor,
): void {
  const facts = frame?.next ?? NO_KEY;
  const { hint } = facts;
  if (frame === undefined) {
    report(start, end, has, hint, facts, visitor);
    return;
  }
  if (
    facts.typeLabel &&
    has >= 0 &&
    end - start < MAX_TYPE_LABEL_CHARS &&
    ((has & HAS.digit) === 0 || facts.key === 'system')
  ) {
    frame.labels ??= [];
    if (frame.labels.length < MAX_LABELS) frame.labels.push(start, end);
  }
  if (hint !== 'NEUTRAL' && hint !== 'BARE_NAME' && hint !== 'ADDRESS_PART') {
    const isPlace = hint === 'SECRET' && frame.paging && PAGE_TOKEN.test(facts.key);
    report(start, end, has, isPlace ? 'CURSOR' : hint, facts, visitor);
    return;
  }
  const leaf = { start, end, has, hint, facts };
  frame.waiting ??= [];
  if (frame.waiting.length < MAX_WAITING) frame.waiting.push(leaf);
  else settle(text, leaf, frame, visitor);
}

/** Reports a leaf with the type of its neutral key, `name` or `city` in this object. */
function settle(text: string, leaf: Waiting, frame: Frame | undefined, visitor: JsonVisitor): void {
  const { start, end, has, facts, hint } = leaf;
  let settled: KeyHint | undefined;
  if (hint === 'NEUTRAL') settled = labelHint(text, frame) ?? frame?.hint;
  else if (hint === 'ADDRESS_PART') settled = frame?.hint === 'ADDRESS' ? 'ADDRESS_PART' : 'OTHER';
  else if (isName(text, leaf, frame)) settled = 'NAME';
  report(start, end, has, settled, facts, visitor);
}

/** Returns the type that the first meaningful label of an object indicates. */
function labelHint(text: string, frame: Frame | undefined): KeyHint | undefined {
  const labels = frame?.labels ?? [];
  for (let at = 0; at < labels.length; at += 2) {
    const hint = typeLabelHint(text.slice(labels[at], labels[at + 1]));
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Checks whether a leaf is the name of a person, by its object. */
function isName(text: string, { start, end, has, facts }: Waiting, frame: Frame | undefined): boolean {
  if (facts.name === undefined || has < 0 || end - start > MAX_NAME_CHARS) return false;
  const raw = text.slice(start, end);
  const value = (has & HAS.escape) === 0 ? raw : atOnce(unescapeSteps(raw)).text;
  return isNameOf(value, facts, frame?.inside ?? 0, frame?.evidence);
}

/** Returns the short string at a position, or undefined for another value. */
function shortText(text: string, at: number): string | undefined {
  SHORT_TEXT.lastIndex = at;
  return SHORT_TEXT.exec(text)?.[1];
}

function report(
  start: number,
  end: number,
  has: number,
  hint: KeyHint | undefined,
  facts: KeyFacts,
  visitor: JsonVisitor,
): void {
  if (has < 0) visitor.number(start, end, hint);
  else visitor.string(start, end, has, hint, facts);
}

/** Reports a key that may be a value itself. */
function reportKey(start: number, end: number, has: number, above: KeyHint | undefined, visitor: JsonVisitor): void {
  const isAddress = (has & HAS.at) !== 0;
  visitor.string(start, end, has, isAddress ? 'OTHER' : keyedHint(above), isAddress ? KEY_WITH_AT : KEY_WITH_DIGITS);
}

/** Returns the offset of the closing quote, or -1, and sets `characters`. */
function stringEnd(text: string, quote: number): number {
  let has = 0;
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      characters = has;
      return at;
    }
    has |= code < 128 ? (CHARACTERS[code] ?? 0) : HAS.odd;
    if (code === BACKSLASH) at++;
  }
  return -1;
}

/** Returns the offset of the closing quote, or -1, and sets `characters` and `hash`. */
function keyEnd(text: string, quote: number): number {
  let has = 0;
  let mixed = 0;
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      characters = has;
      hash = mixed;
      return at;
    }
    mixed = (Math.imul(mixed, 31) + code) | 0;
    has |= code < 128 ? (CHARACTERS[code] ?? 0) : HAS.odd;
    if (code === BACKSLASH) at++;
  }
  return -1;
}

function skipSpace(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return end;
}
