import { endOfString, parseExact } from '@toolwright/sandbox/internal';

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
