import { hasMoreNames, MAX_NAMES } from '@toolwright/sandbox/internal';

const MIB = 1024 * 1024;

/** Maximum bytes of one message from a server. */
export const MAX_MESSAGE_BYTES: number = 64 * MIB;
/** Maximum values of one message, including nested values. Each takes about 60 bytes of memory. */
export const MAX_MESSAGE_VALUES = 1_000_000;
/** Characters of one member of a message, its key included. A longer one is not an id. */
const MAX_ID_MEMBER = 300;
/** Ids that are read from one batch of answers. */
const MAX_IDS = 1_000;
const ID_OR_METHOD = /^(?:\s|data:)*"(id|method)"\s*:\s*([\s\S]*?)\s*$/;

/** Bytes without an end of a string after which the rest of the string is searched for one. */
const QUIET_BYTES = 64;

const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Measures a JSON-RPC message while it arrives, before it is parsed. Finds the ids that it answers: if it is too large to be
 * parsed, their calls must fail.
 */
export class MessageMeter {
  readonly #maxBytes: number;
  #bytes = 0;
  #values = 0;
  #members = 0;
  #level = 0;
  #inString = false;
  #escaped = false;
  readonly #firstMemberLevel: number;
  /** The level of the members of a message: 1, in a batch 2. */
  #memberLevel: number;
  #member = '';
  #id: string | number | undefined;
  #hasMethod = false;
  #ids: (string | number)[] = [];

  /** `readsIds` is false for JSON that answers no call; its measuring is faster. */
  constructor(maxBytes: number = MAX_MESSAGE_BYTES, readsIds = true) {
    this.#maxBytes = maxBytes;
    this.#firstMemberLevel = readsIds ? 1 : Number.NEGATIVE_INFINITY;
    this.#memberLevel = this.#firstMemberLevel;
  }

  /** The bytes of the message so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the message may have more than `MAX_NAMES` different names: then {@link namesExcess} looks into its text. */
  get hasManyMembers(): boolean {
    return this.#members > MAX_NAMES;
  }

  /** The exceeded limit: `a message of more than 64 MiB`. */
  get excess(): string | undefined {
    if (this.#bytes > this.#maxBytes) return `a message of more than ${this.#maxBytes / MIB} MiB`;
    if (this.#values > MAX_MESSAGE_VALUES) return `a message with more than ${MAX_MESSAGE_VALUES / 1e6} million values`;
    return undefined;
  }

  /** Adds the next bytes of the message. */
  push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    for (let index = 0; index < bytes.length; ) {
      const isLong = this.#inString && this.#member.length > MAX_ID_MEMBER;
      if (this.#level > this.#memberLevel || isLong) index = this.#skip(bytes, index);
      else this.#take(bytes[index++] ?? 0);
    }
  }

  /** Returns the ids of the answers in the message. A request of the server has none. */
  answeredIds(): readonly (string | number)[] {
    this.#endMessage();
    return this.#ids;
  }

  /** Starts the next message. */
  reset(): void {
    this.#bytes = 0;
    this.#values = 0;
    this.#members = 0;
    this.#level = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#memberLevel = this.#firstMemberLevel;
    this.#member = '';
    this.#id = undefined;
    this.#hasMethod = false;
    this.#ids = [];
  }

  /** Measures bytes that contain no id, up to the end of a member or of the bytes. Returns the index of the next byte. */
  #skip(bytes: Uint8Array, start: number): number {
    const member = this.#memberLevel;
    let nextEnd: ((from: number) => number) | undefined;
    // Local variables: a private field per byte takes three times as long.
    let [level, values, inString, escaped] = [this.#level, this.#values, this.#inString, this.#escaped];
    let members = this.#members;
    let quiet = start;
    let index = start;
    for (let isEnd = false; !isEnd && index < bytes.length; index++) {
      if (inString && !escaped && index - quiet >= QUIET_BYTES) {
        nextEnd ??= endFinder(bytes);
        index = nextEnd(index);
        if (index === bytes.length) break;
      }
      const code = bytes[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (code === BACKSLASH) escaped = true;
        else if (code === QUOTE || code === NEWLINE) {
          inString = false;
          isEnd = level === member;
        } else continue;
      } else if (code === QUOTE) inString = true;
      else if (code === COMMA) values++;
      else if (code === COLON) members++;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        values++;
        level++;
      } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) isEnd = --level === member;
      quiet = index;
    }
    [this.#level, this.#values, this.#inString, this.#escaped] = [level, values, inString, escaped];
    this.#members = members;
    return index;
  }

  #take(code: number): void {
    if (this.#level === this.#memberLevel && (this.#inString || (code !== COMMA && code !== CLOSE_OBJECT))) {
      if (this.#member.length <= MAX_ID_MEMBER) this.#member += String.fromCharCode(code);
    }
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      // A JSON string contains no newline, so this quote did not start a string.
      else if (code === QUOTE || code === NEWLINE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (code === COMMA) {
      this.#values++;
      if (this.#level === this.#memberLevel) this.#endMember();
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (this.#level === this.#memberLevel) this.#endMessage();
      this.#level--;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      this.#values++;
      if (this.#level === 0 && code === OPEN_ARRAY) this.#memberLevel = 2;
      this.#level++;
    } else if (code === COLON) this.#members++;
  }

  #endMember(): void {
    const text = this.#member;
    this.#member = '';
    const [, name, value = ''] = (text.length <= MAX_ID_MEMBER && ID_OR_METHOD.exec(text)) || [];
    if (name === 'method') this.#hasMethod = true;
    else if (name === 'id') this.#id = idOf(value);
  }

  #endMessage(): void {
    this.#endMember();
    if (this.#id !== undefined && !this.#hasMethod && this.#ids.length < MAX_IDS) this.#ids.push(this.#id);
    this.#id = undefined;
    this.#hasMethod = false;
  }
}

/** Returns the exceeded limit of a message by its names; undefined for none. */
export function namesExcess(text: string): string | undefined {
  return hasMoreNames(text, MAX_NAMES) ? `a message with more than ${MAX_NAMES} different names` : undefined;
}

/** Returns a function that finds the next byte which ends or escapes in a string; the number of bytes if there is none. */
function endFinder(bytes: Uint8Array): (from: number) => number {
  let view: Buffer | undefined;
  const next = [QUOTE, BACKSLASH, NEWLINE].map((code) => ({ code, index: -1 }));
  return (from) => {
    view ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const found of next) {
      if (found.index >= from) continue;
      const index = view.indexOf(found.code, from);
      found.index = index < 0 ? bytes.length : index;
    }
    return Math.min(...next.map(({ index }) => index));
  };
}

function idOf(text: string): string | number | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
