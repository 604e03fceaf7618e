import { type Charset, readBytes, toBytes } from '../../encodings/charset.ts';
import { inSlices, PART_ITEMS, type Steps } from '../../slices.ts';

/** The shortest list that is read: an e-mail address has at least six characters. */
const MIN_ITEMS = 6;
const MAX_BYTE = 255;
const MIN_PRINTABLE = 0.5;

/** A list of bytes or characters in a JSON value. */
interface List {
  /** The key and its index in each object on the way. A key may change to a placeholder, and keep its index. */
  readonly path: readonly (readonly [key: string, index: number])[];
  /** Returns a text in the form of the list. */
  readonly write: (text: string) => unknown;
}

/**
 * Changes a JSON value with a text in place of each list of bytes or characters, such as `data` of a `Buffer`. It then writes these texts
 * as lists again. `isRead` selects the texts: the other lists stay. A list of numbers with another meaning is a text without a finding.
 */
export async function throughLists(
  value: unknown,
  change: (value: unknown) => Promise<unknown>,
  isRead: (text: string) => boolean = () => true,
): Promise<unknown> {
  const lists: List[] = [];
  const texts = await inSlices(textSteps(value, [], { lists, isRead, seen: 0 }));
  if (lists.length === 0) return change(value);
  const changed = await change(texts);
  if (changed === texts) return value;
  return lists.reduce((root, { path, write }) => replacedAt(root, path, write), changed);
}

interface Reading {
  readonly lists: List[];
  readonly isRead: (text: string) => boolean;
  seen: number;
}

function* textSteps(node: unknown, path: List['path'], reading: Reading): Steps<unknown> {
  if (typeof node !== 'object' || node === null) return node;
  const list = readList(node);
  if (list !== undefined && reading.isRead(list.text)) {
    reading.lists.push({ path, write: list.write });
    return list.text;
  }
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [index, key] of Object.keys(node).entries()) {
    if (++reading.seen % PART_ITEMS === 0) yield;
    const child: unknown = Reflect.get(node, key);
    if (typeof child !== 'object' || child === null) continue;
    const next = yield* textSteps(child, [...path, [key, index]], reading);
    if (next === child) continue;
    copy ??= Array.isArray(node) ? [...node] : { ...node };
    set(copy, key, next);
  }
  return copy ?? node;
}

/** Returns the text of a list of bytes or characters, also of a typed array in JSON: `{ "0": 97, "1": 100 }`. */
function readList(node: object): { readonly text: string; readonly write: List['write'] } | undefined {
  if (!Array.isArray(node)) {
    if (!Object.hasOwn(node, '0') || !Object.hasOwn(node, String(MIN_ITEMS - 1))) return undefined;
    const keys = Object.keys(node);
    const items = keys.every((key, index) => key === String(index)) ? Object.values(node) : [];
    const read = readBytesOf(items);
    return read && { text: read.text, write: (text) => ({ ...[...toBytes(text, read.charset)] }) };
  }
  if (node.length < MIN_ITEMS) return undefined;
  if (node.every((item) => typeof item === 'string' && item.length > 0 && item.length <= 2 && [...item].length === 1)) {
    return { text: node.join(''), write: (text) => [...text] };
  }
  const read = readBytesOf(node);
  return read && { text: read.text, write: (text) => [...toBytes(text, read.charset)] };
}

function readBytesOf(items: readonly unknown[]): { readonly text: string; readonly charset: Charset } | undefined {
  if (items.length < MIN_ITEMS) return undefined;
  let printable = 0;
  for (const item of items) {
    if (typeof item !== 'number' || !Number.isInteger(item) || item < 0 || item > MAX_BYTE) return undefined;
    if (item >= 0x20 && item !== 0x7f) printable++;
  }
  if (printable < items.length * MIN_PRINTABLE) return undefined;
  const bytes = Buffer.from(items as number[]);
  return readBytes(bytes) ?? { text: bytes.toString('latin1'), charset: 'latin1' };
}

function replacedAt(node: unknown, path: List['path'], write: List['write']): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return typeof node === 'string' ? write(node) : node;
  if (typeof node !== 'object' || node === null) return node;
  const [before, index] = first;
  const key = Object.hasOwn(node, before) ? before : (Object.keys(node)[index] ?? before);
  const copy: Record<string, unknown> | unknown[] = Array.isArray(node) ? [...node] : { ...node };
  set(copy, key, replacedAt(Reflect.get(node, key), rest, write));
  return copy;
}

function set(node: object, key: string, value: unknown): void {
  Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
}
