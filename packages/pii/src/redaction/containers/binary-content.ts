import { isUtf8 } from 'node:buffer';
import { inSlices, PART_ITEMS, type Steps } from '../../slices.ts';
import { isContainer } from './compressed-content.ts';

/** Base64 of either alphabet, also in lines. */
const BASE64 = /^[A-Za-z\d+/_-][A-Za-z\d+/_\-\r\n]*={0,2}\s*$/;
/** Digits or capital letters alone may be a number or a code. */
const CASES = [/[a-z]/, /[A-Z]/];
/** The part of ASCII characters in a text with another character set than UTF-8. */
const MIN_ASCII = 0.85;
/** Bytes of which a half is zero in UTF-16. */
const SAMPLE_BYTES = 64;

/** A value without its binary content, which is not searched, and a function that puts it back into the redacted value. */
export interface Searched<Value> {
  readonly value: Value;
  putBack<T>(redacted: T): Promise<T>;
}

/**
 * Sets the binary content of a JSON value aside. It is `data` of an image or audio block of MCP, and `blob` of a resource. Random
 * bytes look like a value now and then, and replacing it would damage them. Base64 of text stays, so that it is searched like any
 * other text, and so does all base64 in other places.
 */
export async function withoutBinary<Value>(value: Value): Promise<Searched<Value>> {
  const held = new Map<symbol, string>();
  const searched = (await inSlices(setAsideSteps(value, held, { count: 0 }))) as Value;
  if (held.size === 0) return { value, putBack: async (redacted) => redacted };
  return {
    value: searched,
    async putBack<T>(redacted: T) {
      if (Object.is(redacted, searched)) return value as unknown as T;
      await inSlices(putBackSteps(redacted, held, { count: 0 }));
      return redacted;
    },
  };
}

/** Returns a copy with a symbol, which no search reads, in place of each binary content; the value itself when there is none. */
function* setAsideSteps(node: unknown, held: Map<symbol, string>, seen: { count: number }): Steps<unknown> {
  if (typeof node !== 'object' || node === null) return node;
  const binaryKey = binaryKeyOf(node);
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const key of Object.keys(node)) {
    if (++seen.count % PART_ITEMS === 0) yield;
    const child: unknown = Reflect.get(node, key);
    let next = child;
    if (key === binaryKey) {
      next = Symbol('binary content');
      held.set(next as symbol, child as string);
    } else if (typeof child === 'object' && child !== null) next = yield* setAsideSteps(child, held, seen);
    if (next === child) continue;
    copy ??= Array.isArray(node) ? [...node] : { ...node };
    Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? node;
}

/** Replaces the symbols in place: every object with one is a copy. */
function* putBackSteps(node: unknown, held: ReadonlyMap<symbol, string>, seen: { count: number }): Steps {
  if (typeof node !== 'object' || node === null) return;
  for (const key of Object.keys(node)) {
    if (++seen.count % PART_ITEMS === 0) yield;
    const child: unknown = Reflect.get(node, key);
    if (typeof child === 'symbol') Reflect.set(node, key, held.get(child));
    else if (typeof child === 'object' && child !== null) yield* putBackSteps(child, held, seen);
  }
}

/** Returns the key of a block's binary content. */
function binaryKeyOf(node: object): 'data' | 'blob' | undefined {
  const { type, mimeType, data, uri, blob } = node as Readonly<Record<string, unknown>>;
  if ((type === 'image' || type === 'audio') && typeof mimeType === 'string' && isBinary(data)) return 'data';
  return typeof uri === 'string' && isBinary(blob) ? 'blob' : undefined;
}

function isBinary(content: unknown): boolean {
  if (typeof content !== 'string' || !CASES.every((letters) => letters.test(content))) return false;
  const bytes = Buffer.from(content, 'base64');
  return (isWholeBase64(content, bytes) || BASE64.test(content)) && !isText(bytes) && !isContainer(bytes);
}

/**
 * Checks whether all characters were decoded: decoding leaves out ASCII characters that are not of base64. Quicker than the expression, which
 * decides about a last character on its own, line breaks and other texts.
 */
function isWholeBase64(content: string, bytes: Buffer): boolean {
  const characters = content.length - (content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0);
  const isAscii = Buffer.byteLength(content) === content.length;
  return isAscii && characters % 4 !== 1 && bytes.length === Math.floor((characters * 3) / 4);
}

/** Checks for text in UTF-8, UTF-16, or another character set that contains ASCII. */
function isText(bytes: Buffer): boolean {
  if (isUtf16(bytes)) return true;
  let ascii = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) || byte === 127) return false;
    if (byte < 127) ascii++;
  }
  return isUtf8(bytes) || ascii >= bytes.length * MIN_ASCII;
}

/** Checks for a byte order mark, or a zero in one half of the bytes and none in the other. */
function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.length > 1 && (bytes.readUInt16BE(0) === 0xfeff || bytes.readUInt16LE(0) === 0xfeff);
  const zeros: [number, number] = [0, 0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at & 1 ? 1 : 0]++;
  const pairs = Math.floor(sample.length / 2);
  return mark || (pairs > 1 && Math.max(...zeros) >= pairs && Math.min(...zeros) === 0);
}
