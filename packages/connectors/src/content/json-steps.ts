import type { Steps } from '@toolwright/pii/internal';
import { endOfString, parseExact } from '@toolwright/sandbox/internal';

/** Characters of JSON text that are parsed without a pause: some 0.5 ms. */
const PART = 64 * 1024;
const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A list or an object whose end was not read yet. */
interface Open {
  readonly start: number;
  readonly isArray: boolean;
  /** Where its present member begins. */
  member: number;
  /** Where its members begin that are not in `value`. */
  group: number;
  /** Set once it is known to be long: its members are then parsed in groups. */
  value?: unknown[] | Record<string, unknown>;
  /** Set after a long member, up to the next comma. */
  isAfterLong?: boolean;
}

/**
 * Returns the steps to the value of JSON text, as `parseExact` returns it: 16 MB in one turn take 100 ms and more. Raises `SyntaxError` for
 * other text. The caller limits the depth and the number of values before.
 */
export function* parseJsonSteps(json: string): Steps<unknown> {
  const first = json.search(/\S/);
  if (json.length <= PART || !/[[{]/.test(json[first] ?? '')) return parseExact(json);
  return yield* new JsonReader(json).read(first);
}

class JsonReader {
  readonly #json: string;
  readonly #open: Open[] = [];

  constructor(json: string) {
    this.#json = json;
  }

  *read(first: number): Steps<unknown> {
    const json = this.#json;
    const open = this.#open;
    let pauseAt = PART;
    for (let at = first; at < json.length; at++) {
      const code = json.charCodeAt(at);
      if (code === QUOTE) at = endOfString(json, at);
      else if (code === COMMA) this.#comma(at);
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT)
        open.push({ start: at, isArray: code === OPEN_ARRAY, member: at + 1, group: at + 1 });
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        const root = this.#close(at, code === CLOSE_ARRAY);
        if (open.length === 0) return root;
      }
      if (at < pauseAt) continue;
      yield;
      pauseAt = at + PART;
    }
    throw new SyntaxError('The JSON text has no end.');
  }

  #comma(at: number): void {
    const top = this.#open.at(-1);
    if (top === undefined) throw unexpected(at);
    if (top.value === undefined && at - top.start >= PART) this.#makeLong();
    if (top.isAfterLong) {
      this.#requireBlank(top.group, at);
      top.isAfterLong = false;
      top.group = at + 1;
    } else if (top.value !== undefined && at - top.group >= PART) {
      this.#addGroup(top, at, false);
      top.group = at + 1;
    }
    top.member = at + 1;
  }

  /** Makes all open lists and objects long: each has the next one as its present member. */
  #makeLong(): void {
    for (const [index, each] of this.#open.entries()) {
      each.value ??= each.isArray ? [] : {};
      if (index === this.#open.length - 1 || each.isAfterLong) continue;
      // The members before the present one.
      if (each.member > each.group) this.#addGroup(each, each.member - 1, false);
      each.group = each.member;
    }
  }

  /** Returns the value of the outermost list or object at its end. */
  #close(at: number, isArray: boolean): unknown {
    const json = this.#json;
    const closed = this.#open.pop();
    const parent = this.#open.at(-1);
    if (closed === undefined) throw unexpected(at);
    if (parent === undefined && json.slice(at + 1).trim() !== '') throw unexpected(at + 1);
    if (closed.value === undefined) return parent === undefined ? parseExact(json) : undefined;
    if (closed.isArray !== isArray) throw unexpected(at);
    if (closed.isAfterLong) this.#requireBlank(closed.group, at);
    else this.#addGroup(closed, at, closed.group === closed.start + 1);
    if (parent?.value === undefined) return closed.value;
    this.#addMember(parent, closed);
    parent.group = at + 1;
    parent.isAfterLong = true;
    return undefined;
  }

  /** Adds the members between the last group and an offset. `mayBeEmpty`: whether there may be none. */
  #addGroup({ value, group }: Open, end: number, mayBeEmpty: boolean): void {
    const text = this.#json.slice(group, end);
    if (!mayBeEmpty && text.trim() === '') throw unexpected(end);
    if (Array.isArray(value)) {
      for (const item of parseExact(`[${text}]`) as unknown[]) value.push(item);
      return;
    }
    for (const [name, item] of Object.entries(Object(parseExact(`{${text}}`)))) setMember(Object(value), name, item);
  }

  #addMember({ value, member }: Open, { start, value: item }: Open): void {
    if (Array.isArray(value)) {
      this.#requireBlank(member, start);
      value.push(item);
      return;
    }
    const [, name = ''] = /^(\s*".*"\s*):\s*$/s.exec(this.#json.slice(member, start)) ?? [];
    setMember(Object(value), JSON.parse(name), item);
  }

  #requireBlank(from: number, to: number): void {
    if (this.#json.slice(from, to).trim() !== '') throw unexpected(from);
  }
}

/** Unlike an assignment, this makes `__proto__` a member. */
function setMember(held: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') held[name] = value;
  else Object.defineProperty(held, name, { value, enumerable: true, configurable: true, writable: true });
}

function unexpected(at: number): SyntaxError {
  return new SyntaxError(`Unexpected JSON at position ${at}.`);
}
