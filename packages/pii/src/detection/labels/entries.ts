import { PART_CHARACTERS, type Steps } from '../../slices.ts';
import { type KeyFacts, keyFacts } from '../hints/key-facts.ts';
import { addEntry, noEvidence, type ObjectEvidence } from '../hints/object-evidence.ts';
import { addressAt } from './values.ts';

/** A key and its value in a text: a line of YAML, an element, an argument. */
export interface Entry {
  readonly facts: KeyFacts;
  /** The value. Without quotes, `end` is the end of its line or cell. */
  readonly start: number;
  readonly end: number;
  /** Set if quotes or tags are around the value. */
  readonly isClosed: boolean;
  /** The entries of the same record. */
  readonly group: Group;
}

/** The entries of one record: lines of the same depth, the children of an element. */
export interface Group {
  /** The evidence of its name for a person. */
  readonly inside: number;
  readonly evidence: ObjectEvidence;
}

/** A group of lines with the column of its keys. */
interface Level {
  readonly column: number;
  readonly group: Group;
  /** Lines that begin with `- ` and have one entry each are one list. */
  items: number;
}

const MAX_KEY_CHARS = 48;
const MAX_KEY_WORDS = 4;
const MAX_VALUE_CHARS = 200;
const MAX_LEVELS = 64;
const MAX_BLOCK_LINES = 4;
const MAX_INDENT = 80;
const MAX_SPACES = 12;
const MAX_PARTICLE_CHARS = 6;
const TWO_PARTICLES = /^(?:van|von|de|op|in|uit) (?:de[nr]?|la|los|las|het|'t|dem) \p{Lu}/u;
const MAX_TAG_CHARS = 256;
/** Ends of a value without quotes. A comma is a part of an address. */
const VALUE_END = /[\n\r<|\t"{}[\]]|; |;$/;
/** Characters before a key of several words. */
const ENDS: ReadonlySet<string> = new Set([...';,|(){}[]<>.#']);
/** A key and its element with `<`: the first word of a tag. */
const TAG = /<(\/?)([\p{L}_][\p{L}\p{M}\p{N}_.:-]{0,47})(?:\s[^<>]{0,200})?$/u;
const CELL_KEY =
  /<(?:th|dt|td|b|strong|label|span)(?:\s[^<>]{0,100})?>\s{0,4}([\p{L}_][^<>:]{0,47}?):?\s{0,4}<\/(?:th|dt|td|b|strong|label|span)$/iu;
const CELL_VALUE = /\s{0,8}:?\s{0,8}(?:<(?:td|dd|span)(?:\s[^<>]{0,100})?>)?\s{0,8}/y;
const SECTION = /^\[([\p{L}_][\p{L}\p{N}_. -]{0,47})\]\s{0,4}$/u;
/** The value of a calendar or a card begins after parameters: `BDAY;VALUE=date:`. */
const PARAMETERS = /^([A-Z][A-Z-]{1,20})(?:;[^:\n]{0,100})$/;

/** Finds the entries of a text in one pass. */
export function* entriesOf(text: string): Steps<Entry[]> {
  const entries: Entry[] = [];
  const lines = new Lines(text);
  const elements: Group[] = [newGroup(0)];
  let pauseAt = PART_CHARACTERS;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 10:
        lines.begin(at + 1);
        break;
      case 58: // :
      case 61: // =
      case 0xff1a: // the wide : of Chinese and Japanese
        add(entries, lineEntry(text, at, lines));
        if (text.charCodeAt(at + 1) === 10 || text.charCodeAt(at + 1) === 13) addBlock(entries, text, at, lines);
        break;
      case 62: // >
        add(entries, elementEntry(text, at, elements));
        break;
      case 124: // |
        add(entries, rowEntry(text, at, lines));
        break;
      default:
    }
    if (at < pauseAt) continue;
    pauseAt = at + PART_CHARACTERS;
    yield;
  }
  return entries;
}

function add(entries: Entry[], entry: Entry | undefined): void {
  if (!entry) return;
  entries.push(entry);
}

/** Adds the lines of an address below its label: `Shipping address:`, a name, and the street. */
function addBlock(entries: Entry[], text: string, at: number, lines: Lines): void {
  if (keyBefore(text, at, lines)?.hint !== 'ADDRESS') return;
  let start = text.indexOf('\n', at) + 1;
  for (let line = 0; line < MAX_BLOCK_LINES && start > 0 && start < text.length; line++) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const value = text.slice(start, Math.min(end, start + MAX_VALUE_CHARS)).trimEnd();
    if (value === '' || /[:={}<>|]/.test(value)) return;
    const indent = value.length - value.trimStart().length;
    const facts = keyFacts(line === 0 && addressAt(value.trimStart()) === undefined ? 'recipient' : 'address');
    const group = newGroup(0);
    entries.push({ facts, start: start + indent, end: start + value.length, isClosed: true, group });
    start = next + 1;
  }
}

/** The groups of the lines of a text by their columns. */
class Lines {
  /** Set for cards and calendars, whose keys have parameters. */
  readonly hasParameters: boolean;
  readonly #text: string;
  #levels: Level[] = [];
  #start = 0;
  #column = 0;
  #isItem = false;
  #isNew = true;
  /** The evidence of a key without a value, whose lines follow. */
  #inside = 0;
  #isBlank = false;

  constructor(text: string) {
    this.#text = text;
    this.hasParameters = text.includes('BEGIN:V');
    this.begin(0);
  }

  get start(): number {
    return this.#start;
  }

  /** Begins a line. A blank line ends all groups, `[section]` begins one. */
  begin(start: number): void {
    this.#start = start;
    this.#isNew = true;
    let at = start;
    while (isSpace(this.#text.charCodeAt(at)) && at < start + MAX_INDENT) at++;
    const isDash = this.#text.charCodeAt(at + 1) === 32 && (this.#text[at] === '-' || this.#text[at] === '*');
    this.#isItem = isDash;
    this.#column = at - start + (isDash ? 2 : 0);
    const next = this.#text.charCodeAt(at);
    if (next === 10 || next === 13 || Number.isNaN(next)) this.#isBlank = true;
    if (next !== 91) return;
    const end = this.#text.indexOf('\n', start);
    const section = SECTION.exec(this.#text.slice(start, Math.min(end < 0 ? this.#text.length : end, start + 60)));
    if (!section) return;
    this.#levels = [{ column: 0, group: newGroup(keyFacts(section[1] ?? '').inside), items: 0 }];
    this.#isBlank = false;
  }

  /** Remembers a key without a value: it names the lines below it. */
  open(facts: KeyFacts): void {
    this.group();
    this.#inside = facts.inside;
  }

  /** Returns the group of the line. */
  group(): Group {
    const last = this.#levels.at(-1);
    if (!this.#isNew && last) return last.group;
    this.#isNew = false;
    if (this.#isBlank) this.#levels = [];
    this.#isBlank = false;
    while ((this.#levels.at(-1)?.column ?? -1) > this.#column) this.#levels.pop();
    const level = this.#levels.at(-1);
    const isSame = level?.column === this.#column;
    const inside = isSame ? level.group.inside : this.#inside;
    this.#inside = 0;
    if (isSame && !(this.#isItem && level.items !== 1)) {
      level.items = this.#isItem ? 1 : level.items + 1;
      return level.group;
    }
    if (isSame) this.#levels.pop();
    const opened = { column: this.#column, group: newGroup(inside), items: 1 };
    if (this.#levels.length < MAX_LEVELS) this.#levels.push(opened);
    return opened.group;
  }
}

function newGroup(inside: number): Group {
  return { inside, evidence: noEvidence() };
}

/** Returns the entry of a `:` or `=`. */
function lineEntry(text: string, at: number, lines: Lines): Entry | undefined {
  const next = text.charCodeAt(at + 1);
  if (next === 47 || next === 58 || next === 61) return undefined;
  const from = next === 62 && text[at] === '=' ? at + 2 : at + 1;
  const { start, quote } = valueStart(text, from);
  const first = text.charCodeAt(start);
  if (first === 10 || first === 13) {
    const facts = keyBefore(text, at, lines);
    if (facts) lines.open(facts);
    return undefined;
  }
  if (!mayBegin(text, start)) return undefined;
  const facts = keyBefore(text, at, lines);
  if (!facts || !isOfInterest(facts)) return undefined;
  return entryAt(text, { facts, start, quote, group: lines.group() });
}

/** Returns the start of a value behind spaces, asterisks and a quote. */
function valueStart(text: string, from: number): { start: number; quote: string | undefined } {
  let start = from;
  while (start < from + 2 && text.charCodeAt(start) === 42) start++;
  while (start < from + MAX_SPACES && isSpace(text.charCodeAt(start))) start++;
  const quote = text[start];
  return quote === '"' || quote === "'" || quote === '`' ? { start: start + 1, quote } : { start, quote: undefined };
}

/** Returns the entry of the `>` of an element or of a cell with a label. Keeps the open elements. */
function elementEntry(text: string, at: number, elements: Group[]): Entry | undefined {
  const last = text.charCodeAt(at - 1);
  // `=>`, `->`, `a > b` and `/>` are no elements with a value.
  if (last === 61 || last === 45 || last === 47 || last === 32) return undefined;
  const before = text.slice(Math.max(0, at - MAX_TAG_CHARS), at);
  const open = before.lastIndexOf('<');
  const [, slash, name = ''] = (open >= 0 && TAG.exec(before.slice(open))) || [];
  if (name === '') return undefined;
  const group = elements.at(-1) ?? newGroup(0);
  if (slash) {
    const [, key] = CELL_KEY.exec(before) ?? [];
    if (key === undefined) {
      const tag = name.toLowerCase();
      if (elements.length > 1 && !CELLS.has(tag)) elements.pop();
      return undefined;
    }
    CELL_VALUE.lastIndex = at + 1;
    const start = at + 1 + (CELL_VALUE.exec(text)?.[0].length ?? 0);
    if (!mayBegin(text, start)) return undefined;
    return entryAt(text, { facts: keyFacts(key), start, quote: '<', group });
  }
  if (CELLS.has(name.toLowerCase())) return undefined;
  const start = at + 1;
  const facts = keyFacts(name.slice(name.indexOf(':') + 1));
  // The end of this element ends the group of its children.
  if (elements.length < MAX_LEVELS) elements.push(newGroup(facts.inside));
  if (!mayBegin(text, start)) return undefined;
  return entryAt(text, { facts, start, quote: '<', group });
}

/** Elements of HTML that are no records. */
const CELLS: ReadonlySet<string> = new Set(
  'th dt td dd b strong label span tr thead tbody p br hr img input meta link i em a li small code'.split(' '),
);

/** Returns the entry of a `|` between the two cells of a line: `| Name | Ada |`. */
function rowEntry(text: string, at: number, lines: Lines): Entry | undefined {
  if (at - lines.start < 3 || at - lines.start > MAX_KEY_CHARS) return undefined;
  const row = /^\|?[ \t*]{0,4}([\p{L}_][^|\n]{0,47}?)[ \t:*]{0,4}$/u.exec(
    text.slice(lines.start, Math.min(at, lines.start + 64)),
  );
  const end = text.indexOf('|', at + 1);
  if (!row || end < 0 || end - at > MAX_VALUE_CHARS || !/^[ \t]{0,8}(?:\r?\n|$)/.test(text.slice(end + 1, end + 12)))
    return undefined;
  const start = at + 1 + (/^[ \t]{0,8}/.exec(text.slice(at + 1, at + 9))?.[0].length ?? 0);
  if (!mayBegin(text, start)) return undefined;
  return entryAt(text, { facts: keyFacts(row[1] ?? ''), start, quote: '|', group: lines.group() });
}

interface Opened {
  readonly facts: KeyFacts;
  readonly start: number;
  readonly quote: string | undefined;
  readonly group: Group;
}

function entryAt(text: string, { facts, start, quote, group }: Opened): Entry | undefined {
  const limit = Math.min(text.length, start + MAX_VALUE_CHARS);
  let end: number;
  if (quote !== undefined) {
    end = text.indexOf(quote, start);
    if (end < 0 || end > limit) return undefined;
  } else {
    const length = text.slice(start, limit).search(VALUE_END);
    end = length < 0 ? limit : start + length;
  }
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  if (end <= start) return undefined;
  if (facts.isEvidence && isPlausible(facts, text.slice(start, end))) {
    addEntry(group.evidence, facts, text.slice(start, end));
  }
  return { facts, start, end, isClosed: quote !== undefined, group };
}

/** Checks for a key whose value may be personal, or evidence for it. */
function isOfInterest({ hint, inside, isEvidence }: KeyFacts): boolean {
  return isEvidence || inside > 0 || (hint !== undefined && hint !== 'OTHER' && hint !== 'TEXT' && hint !== 'SECRET');
}

/** Checks whether a value has the form of its key: `address = 0x7f` is no evidence for a person. */
function isPlausible({ hint }: KeyFacts, value: string): boolean {
  if (hint === 'ADDRESS') return addressAt(value) !== undefined;
  if (hint === 'EMAIL') return value.includes('@');
  return hint === 'PHONE' || hint === 'DATE_OF_BIRTH' ? /\p{Nd}{2}/u.test(value) : true;
}

/** Returns the key before a separator: up to four words at the beginning of its line, or one word. */
function keyBefore(text: string, at: number, lines: Lines): KeyFacts | undefined {
  const lineStart = lines.start;
  let end = at;
  while (end > lineStart && isSpace(text.charCodeAt(end - 1))) end--;
  const isSpaced = end < at;
  while (end > lineStart && isMark(text.charCodeAt(end - 1))) end--;
  const limit = Math.max(lineStart, end - MAX_KEY_CHARS);
  let start = end;
  while (start > limit && isKeyCharacter(text.charCodeAt(start - 1))) start--;
  if (start === end) return undefined;
  const word = start;
  // A key of several words begins its line, behind signs of a list.
  if (text[at] !== '=' || isSpaced) {
    const most = text[at] === '=' ? 2 : MAX_KEY_WORDS;
    for (let words = 1; words < most && start > limit && text[start - 1] === ' '; words++) {
      let next = start - 1;
      while (next > limit && isKeyCharacter(text.charCodeAt(next - 1))) next--;
      if (next === start - 1) break;
      start = next;
    }
    let before = start;
    while (
      before > limit &&
      (isSpace(text.charCodeAt(before - 1)) || isMark(text.charCodeAt(before - 1)) || text[before - 1] === '-')
    )
      before--;
    if (before > lineStart && !ENDS.has(text[before - 1] ?? '')) start = word;
  }
  if (lines.hasParameters && text[at] === ':') {
    const [, parameters] = PARAMETERS.exec(text.slice(lineStart, Math.min(at, lineStart + MAX_VALUE_CHARS))) ?? [];
    if (parameters !== undefined) return keyFacts(parameters);
  }
  const before = text[start - 1];
  return before === '@' || before === '/' || before === '\\' ? undefined : keyFacts(text.slice(start, end));
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

/** Quotes and asterisks around a key. */
function isMark(code: number): boolean {
  return code === 34 || code === 39 || code === 42 || code === 96;
}

function isKeyCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code >= 0xc0
  );
}

/** Checks whether a value of interest may begin at a position. A word of lower case has to be an e-mail address, or be before a name. */
function mayBegin(text: string, start: number): boolean {
  const code = text.charCodeAt(start);
  if (code >= 97 && code <= 122) return isAddressOrParticle(text, start);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code >= 0xc0 || code === 40 || code === 43;
}

/** Checks for "ada.k@", "ul. Długa" and "van Dyk". */
function isAddressOrParticle(text: string, start: number): boolean {
  let at = start + 1;
  while (at < start + MAX_KEY_CHARS && (isKeyCharacter(text.charCodeAt(at)) || text[at] === '+')) at++;
  if (text[at] === '@') return true;
  const next = text.charCodeAt(at + 1);
  if (text[at] !== ' ' || at - start > MAX_PARTICLE_CHARS) return false;
  return (next >= 65 && next <= 90) || next >= 0xc0 || TWO_PARTICLES.test(text.slice(start, start + MAX_KEY_CHARS));
}
