import { inSlices, type Steps } from '@toolwright/pii/internal';
import { endOfString, parseWithDigits } from '@toolwright/sandbox/internal';

/** The start of a JSON value. An object or a list has its first members only. */
export interface Sample {
  readonly value: unknown;
  /** Returns the number of all members of a list or an object in the sample. */
  countOf(held: object): number;
}

/** Members that are read of each list and of each object. A type and an excerpt show no more. */
const MAX_ITEMS = 30;
const MAX_KEYS = 41;
/** Nesting of members that are read. Of deeper lists and objects, the members are counted. */
const MAX_DEPTH = 8;
/** Members that are read in all. */
const MAX_MEMBERS = 5_000;
/** Characters, strings and brackets that are skipped without a look at the time. */
const PART = 4_096;

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = /[\t\n\r ]*/y;
const SCALAR = /[-+.\w]+/y;

/**
 * Reads the start of a JSON text, and counts the other members without parsing them: an object with many names takes a second to parse. Pauses
 * between slices. Raises `SyntaxError` for other text.
 */
export async function sampleOf(json: string): Promise<Sample> {
  return inSlices(readSample(json));
}

function* readSample(json: string): Steps<Sample> {
  const reader = new SampleReader(json);
  const value = yield* reader.value(0);
  return { value, countOf: (held) => reader.counts.get(held) ?? 0 };
}

class SampleReader {
  readonly counts: Map<object, number> = new Map();
  readonly #json: string;
  #at = 0;
  #left: number = MAX_MEMBERS;

  constructor(json: string) {
    this.#json = json;
  }

  *value(depth: number): Steps<unknown> {
    this.#take(SPACE);
    const code = this.#json.charCodeAt(this.#at);
    if (code === OPEN_ARRAY) return yield* this.#list(depth);
    if (code === OPEN_OBJECT) return yield* this.#object(depth);
    return code === QUOTE ? this.#string() : parseWithDigits(this.#take(SCALAR));
  }

  *#list(depth: number): Steps<unknown[]> {
    const items: unknown[] = [];
    yield* this.#members(items, depth, MAX_ITEMS, CLOSE_ARRAY, (item) => items.push(item));
    return items;
  }

  *#object(depth: number): Steps<object> {
    // Unlike an assignment, this makes `__proto__` a member.
    const held = {};
    const add = (value: unknown, name: string) =>
      Object.defineProperty(held, name, { value, enumerable: true, configurable: true, writable: true });
    yield* this.#members(held, depth, MAX_KEYS, CLOSE_OBJECT, add);
    return held;
  }

  *#members(
    held: object,
    depth: number,
    most: number,
    close: number,
    add: (value: unknown, name: string) => void,
  ): Steps {
    this.#at++;
    let count = 0;
    if (!this.#ends(close)) {
      for (let isLast = false; !isLast && count < most && depth < MAX_DEPTH && this.#left > 0; count++) {
        this.#left--;
        const name = close === CLOSE_OBJECT ? this.#name() : '';
        add(yield* this.value(depth + 1), name);
        isLast = this.#ends(close);
        if (!isLast) this.#expect(COMMA);
        else this.counts.set(held, count + 1);
      }
      if (!this.counts.has(held)) this.counts.set(held, count + (yield* this.#skipMembers()));
    }
    this.#expect(close);
  }

  /** Skips the other members up to the end of their list or object, and returns their number. */
  *#skipMembers(): Steps<number> {
    const json = this.#json;
    let count = 1;
    let level = 0;
    let at = this.#at;
    for (let part = PART; ; at++) {
      if (--part === 0) {
        part = PART;
        yield;
      }
      const code = json.charCodeAt(at);
      if (code === QUOTE) at = endOfString(json, at);
      else if (code === COMMA && level === 0) count++;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) level++;
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        if (level-- === 0) break;
      } else if (Number.isNaN(code)) throw new SyntaxError('The JSON text has no end.');
    }
    this.#at = at;
    return count;
  }

  #name(): string {
    this.#take(SPACE);
    const name = this.#string();
    this.#expect(COLON);
    return name;
  }

  #string(): string {
    const end = endOfString(this.#json, this.#at) + 1;
    const text = this.#json.slice(this.#at, end);
    this.#at = end;
    return JSON.parse(text);
  }

  #ends(close: number): boolean {
    this.#take(SPACE);
    return this.#json.charCodeAt(this.#at) === close;
  }

  #expect(code: number): void {
    this.#take(SPACE);
    if (this.#json.charCodeAt(this.#at) !== code) throw new SyntaxError(`Unexpected JSON at position ${this.#at}.`);
    this.#at++;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#json) ?? [];
    this.#at += found.length;
    return found;
  }
}
