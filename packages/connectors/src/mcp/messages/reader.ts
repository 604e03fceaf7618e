import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { cutOutsideValues } from '@toolwright/pii/internal';
import { endOfString, parseExact } from '@toolwright/sandbox/internal';
import { MessageMeter } from '../../content/message-meter.ts';
import { plainNumbers } from '../plain-numbers.ts';
import { plainAnswer } from './call-results.ts';
import { readEnvelope, tooLargeAnswer, unusable } from './envelope.ts';
import { readResult } from './results.ts';
import { isPage, wordsOfBody } from './words.ts';

/** Characters of an unreadable answer in the error of its call. */
const EXCERPT_CHARACTERS = 200;
/** Requests whose methods are remembered. */
const MAX_PENDING = 10_000;
/** Deviations that are logged. Some names have words of the server. */
const MAX_NOTED = 100;
/** Text of an answer, and no line of a log. */
const ANSWER = /["'](?:result|error)["']\s*:/;
/** The start of a message. */
const MESSAGE = /^\s*\{\s*["'](?:jsonrpc|id|result|error)["']\s*:/;
const SERVER_ERROR = -32000;
/** The errors of a server that could not read the id of a request. */
const UNREAD_REQUEST: ReadonlySet<unknown> = new Set([-32700, -32600]);

/**
 * Reads every message of one server, on any transport. Deviations from JSON, JSON-RPC and the protocol are repaired where their meaning is
 * certain, and logged once by name. An answer that cannot be read ends its call with an error at once.
 */
export class MessageReader {
  readonly #log: (line: string) => void;
  readonly #noted = new Set<string>();
  readonly #pending = new Map<string | number, string>();
  /** The ids of requests of the server, which may be those of requests to it. */
  readonly #asked = new Set<unknown>();

  constructor(log: (line: string) => void = () => undefined) {
    this.#log = log;
  }

  /** Lets this reader know the requests of a transport. Call it before the client connects. */
  attach(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('method' in message) {
        if (message.method === 'notifications/cancelled') this.#pending.delete(Object(message.params).requestId);
        if ('id' in message) {
          const [oldest] = this.#pending.size >= MAX_PENDING ? this.#pending.keys() : [];
          if (oldest !== undefined) this.#pending.delete(oldest);
          this.#pending.set(message.id, message.method);
        }
      }
      return send(message, options);
    };
  }

  /**
   * Returns the messages in a text; undefined if it has none. `only` is the id of the request that the text answers, which the
   * protocol of HTTP knows.
   */
  read(text: string, only?: string | number): readonly JSONRPCMessage[] | undefined {
    const read = readText(text);
    if (read === undefined) return undefined;
    const { values: parsed, deviations, isSearched } = read;
    const plain = parsed.length === 1 && !isSearched ? plainAnswer(parsed[0]) : undefined;
    if (plain && deviations.length === 0 && (only ?? plain.id) === plain.id && this.#pending.delete(plain.id)) {
      return [plain];
    }
    // The revision 2025-03-26 has batches.
    const values = parsed.flatMap((value) => (Array.isArray(value) ? value : [value]));
    const single = values.length === 1 ? only : undefined;
    const messages = values.flatMap((value) => this.#message(value, isSearched, single) ?? []);
    if (messages.length === 0 && values.length > 0) return undefined;
    for (const deviation of deviations) this.note(deviation);
    return messages;
  }

  /** Returns the answers to the calls whose answers an unreadable text has. `what` describes it for their errors. */
  failures(text: string, only?: string | number, what: string = unreadable(text)): readonly JSONRPCMessage[] {
    const ids = only === undefined ? this.#answeredBy(text) : [only];
    if (ids.length > 0) this.note('an answer that is not JSON');
    for (const id of ids) this.#pending.delete(id);
    return ids.map((id) => unusable(id, what));
  }

  /** Returns the answers to calls whose own answers exceed a limit of messages. */
  tooLarge(ids: readonly (string | number)[], excess: string): readonly JSONRPCMessage[] {
    for (const id of ids) this.#pending.delete(id);
    return ids.map((id) => tooLargeAnswer(id, excess));
  }

  /** Logs a deviation, once. */
  readonly note = (deviation: string): void => {
    if (this.#noted.has(deviation) || this.#noted.size >= MAX_NOTED) return;
    this.#noted.add(deviation);
    this.#log(`deviates from the protocol, and was read all the same: ${deviation}`);
  };

  #message(value: unknown, isSearched: boolean, only: string | number | undefined): JSONRPCMessage | undefined {
    const isPending = (id: string | number) => this.#pending.has(id);
    const message = readEnvelope(value, { note: this.note, isPending, only }) ?? this.#errorWithoutId(value);
    if (message === undefined || 'method' in message) {
      const ended = message && this.#cancelled(message);
      if (ended) return ended;
      // A server that logs its messages logs the requests of this client too.
      return isSearched && message !== undefined && 'id' in message ? undefined : plainNumbers(message);
    }
    const { id } = message;
    if (id === undefined || (isSearched && !isPending(id))) return undefined;
    const method = this.#pending.get(id);
    this.#pending.delete(id);
    if (!('result' in message)) return message;
    const result = readResult(method, message.result, this.note);
    if (result === undefined) return unusable(id, 'contains a result that is not an object');
    return { jsonrpc: '2.0', id, result } as JSONRPCMessage;
  }

  /** A server that gives up a request of this client cancels it, although the protocol has this for own requests only. */
  #cancelled(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!('method' in message)) return undefined;
    if ('id' in message && this.#asked.size < MAX_PENDING) this.#asked.add(message.id);
    if (message.method !== 'notifications/cancelled') return undefined;
    const { requestId: id, reason } = Object(message.params);
    if (this.#asked.has(id) || !this.#pending.delete(id)) return undefined;
    this.note('a cancelled request of this client');
    const words = typeof reason === 'string' ? `: ${reason}` : '';
    return { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: `The server cancelled the request${words}` } };
  }

  /** An error without an id ends the only request that waits, if its server could not read that one. */
  #errorWithoutId(value: unknown): JSONRPCMessage | undefined {
    const { id, error } = Object(value);
    const only = this.#onlyPending();
    if ((id !== null && id !== undefined) || only === undefined || !UNREAD_REQUEST.has(Object(error).code))
      return undefined;
    return readEnvelope({ ...Object(value), id: only }, { note: this.note, isPending: () => true });
  }

  #answeredBy(text: string): readonly (string | number)[] {
    // JSON that is no message is a line of a log.
    if (!ANSWER.test(text) || readText(text) !== undefined) return [];
    const meter = new MessageMeter();
    // Python prints its own syntax with single quotes.
    meter.push(Buffer.from(/^\s*\{\s*'/.test(text) ? text.replaceAll("'", '"') : text));
    const named = meter.answeredIds().filter((id) => this.#pending.has(id));
    if (named.length > 0) return named;
    const only = this.#onlyPending();
    return only !== undefined && MESSAGE.test(text) ? [only] : [];
  }

  #onlyPending(): string | number | undefined {
    const [only] = this.#pending.size === 1 ? this.#pending.keys() : [];
    return only;
  }
}

/** Describes a text that is no message, for the error of its call. */
function unreadable(text: string): string {
  if (text.trim() === '') return 'is empty';
  const start = text.slice(0, cutOutsideValues(text, EXCERPT_CHARACTERS));
  const limit = exceededLimit(text);
  if (limit !== undefined) return `cannot be read: ${limit}`;
  if (isPage(text)) return `is ${wordsOfBody(text)}, which a proxy or a login may have sent in its place`;
  return start === ''
    ? `is a text of ${text.length} characters that is not JSON`
    : `contains text that is not a JSON-RPC message: ${start}`;
}

/** JSON values in the text of a server, and how the text differs from JSON. */
export interface ReadText {
  readonly values: readonly unknown[];
  /** Each by its name, for the log. */
  readonly deviations: readonly string[];
  /** Whether the values are parts of the text, between other output. */
  readonly isSearched: boolean;
}

const BYTE_ORDER_MARK = '\uFEFF';
/** The words of Python, JavaScript, Java and C for numbers that JSON does not have. */
const NOT_A_NUMBER = /(?<![\w.$])[-+]?(?:NaN|Infinity|Inf|inf|nan|undefined)(?![\w.$])/g;
/** Characters that a JSON string has only as escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant.
const CONTROL = /[\u0000-\u001f]/g;
/** The start of a message in a text. */
const MESSAGE_START = /\{\s*"(?:jsonrpc|id|result|error|method)"\s*:/g;
/** Places of one text where a message may start. */
const MAX_STARTS = 50;
/** Characters of a text that is searched for messages between other output. */
const MAX_SEARCHED = 1_000_000;

/**
 * Reads the JSON of a message. Text that differs from JSON is repaired where its meaning is certain. That is a byte order mark, NaN and
 * infinity (they become null), control characters in strings, and whole messages between other output. Other text is undefined.
 */
export function readText(text: string): ReadText | undefined {
  const exact = parsed(text);
  if (exact !== undefined) return { values: [exact.value], deviations: [], isSearched: false };
  const { repaired, deviations } = repair(text);
  const read = parsed(repaired);
  if (read !== undefined) return { values: [read.value], deviations, isSearched: false };
  const values = repaired.length > MAX_SEARCHED ? [] : messagesBetween(repaired);
  if (values.length === 0) return undefined;
  return { values, deviations: [...deviations, 'other output around the message'], isSearched: true };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch {
    return undefined;
  }
}

/** Returns the limit that the numbers of a JSON text exceed, as a clause; undefined for other text. */
export function exceededLimit(text: string): string | undefined {
  try {
    parseExact(text);
    return undefined;
  } catch (error) {
    const clause =
      error instanceof RangeError ? /^A (whole number has .{1,80}?)\. /.exec(error.message)?.[1] : undefined;
    return clause === undefined ? undefined : `a ${clause}`;
  }
}

function repair(text: string): { readonly repaired: string; readonly deviations: readonly string[] } {
  const deviations = new Set<string>();
  const parts: string[] = [];
  if (text.startsWith(BYTE_ORDER_MARK)) deviations.add('a byte order mark');
  for (let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const start = quote < 0 ? text.length : quote;
    const end = quote < 0 ? text.length : Math.min(text.length, endOfString(text, start) + 1);
    const outside = text.slice(at, start).replace(NOT_A_NUMBER, () => {
      deviations.add('NaN or infinity, read as null');
      return 'null';
    });
    const inside = text.slice(start, end).replace(CONTROL, (character) => {
      deviations.add('control characters in a string');
      return JSON.stringify(character).slice(1, -1);
    });
    parts.push(outside, inside);
    at = end;
  }
  return { repaired: parts.join(''), deviations: [...deviations] };
}

/** Returns the whole messages in a text, for example after the line of a progress bar that ends without a newline. */
function messagesBetween(text: string): unknown[] {
  const found: unknown[] = [];
  let from = 0;
  let starts = 0;
  for (const { index } of text.matchAll(MESSAGE_START)) {
    if (starts++ === MAX_STARTS) break;
    if (index < from) continue;
    const end = endOfObject(text, index);
    const read = end === undefined ? undefined : parsed(text.slice(index, end));
    if (end === undefined || Object(read?.value).jsonrpc !== '2.0') continue;
    found.push(read?.value);
    from = end;
  }
  return found;
}

/** Returns the index after the object that starts at an index; undefined if it does not end. */
function endOfObject(text: string, start: number): number | undefined {
  let level = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{') level++;
    else if (character === '}' && --level === 0) return at + 1;
  }
  return undefined;
}

/** Returns by how much a line of JSON opens more objects and lists than it closes. */
export function openLevels(line: string): number {
  let level = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === '"') at = endOfString(line, at);
    else if (character === '{' || character === '[') level++;
    else if (character === '}' || character === ']') level--;
  }
  return level;
}
