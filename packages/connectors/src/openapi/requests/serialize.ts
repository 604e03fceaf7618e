import { exactText } from '@toolwright/sandbox/internal';
import { isObject } from '../../content/json-values.ts';

/** How a value becomes text in a URL, a header or a form. */
export interface Style {
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved?: boolean | undefined;
}

/** A name and its text. Both are not encoded yet. */
export type Pair = readonly [name: string, text: string];

const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
  ['tabDelimited', '\t'],
]);

/** Returns a value as text: texts as they are, other values as JSON. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : exactText(value);
}

/** Returns the pairs of a query parameter, a cookie or a form field (specification: Style Values). */
export function toPairs(name: string, value: unknown, { style, explode }: Style): Pair[] {
  if (style === 'deepObject') return deepPairs(name, value);
  const delimiter = DELIMITERS.get(style) ?? ',';
  if (Array.isArray(value)) {
    const texts = value.map(plainText);
    if (explode) return texts.map((text) => [name, text]);
    return texts.length === 0 ? [] : [[name, texts.join(delimiter)]];
  }
  if (!isObject(value)) return [[name, plainText(value)]];
  const members = Object.entries(value).map(([key, member]): Pair => [key, plainText(member)]);
  if (explode) return members;
  return members.length === 0 ? [] : [[name, members.flat().join(delimiter)]];
}

/** `filter[name]=x`, to any depth; items of lists get their index. */
function deepPairs(name: string, value: unknown): Pair[] {
  if (typeof value !== 'object' || value === null) return [[name, plainText(value)]];
  return Object.entries(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member));
}

const RESERVED = /%(?:3A|2F|3F|23|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g;
/** Those would end the value of a parameter, or start the next one. */
const KEPT = /%(?:23|26|2B|3D)/;

/** Returns text for a part of a URL, percent-encoded. With `allowReserved`, reserved characters that end no value stay. */
export function urlText(text: string, allowReserved = false): string {
  // A lone half of a surrogate pair has no encoding.
  const encoded = encodeURIComponent(Buffer.from(text).toString());
  if (!allowReserved) return encoded;
  return encoded.replace(RESERVED, (code) => (KEPT.test(code) ? code : decodeURIComponent(code)));
}

/** Returns the text of a path parameter in the style `simple`, `label` or `matrix`, percent-encoded. */
export function pathText(name: string, value: unknown, { style, explode }: Style): string {
  const encode = (member: unknown): string => urlText(plainText(member));
  const key = urlText(name);
  if (style === 'matrix') {
    const pairs = toPairs(name, value, { style: 'form', explode: true });
    if (explode || typeof value !== 'object' || value === null)
      return pairs.map(([own, text]) => `;${urlText(own)}=${urlText(text)}`).join('');
    return `;${key}=${members(value).map(encode).join(',')}`;
  }
  const isExploded = explode && isObject(value);
  const parts = isExploded
    ? Object.entries(value).map(([own, member]) => `${urlText(own)}=${encode(member)}`)
    : members(value).map(encode);
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`;
  return parts.join(',');
}

/** Returns the text of a header in the style `simple`. */
export function headerText(value: unknown, explode: boolean): string {
  if (explode && isObject(value)) {
    return Object.entries(value)
      .map(([key, member]) => `${key}=${plainText(member)}`)
      .join(',');
  }
  return members(value).map(plainText).join(',');
}

function members(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.entries(value).flat() : [value];
}
