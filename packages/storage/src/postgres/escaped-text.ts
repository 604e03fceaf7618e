/** Returns any text as one for PostgreSQL, whose texts can have neither the character 0 nor half a pair: as in JSON. */
export function escapedText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the text of an escaped one. */
export function unescapedText(escaped: unknown): string {
  return JSON.parse(`"${escaped}"`);
}

/** Returns a text without null characters and half surrogates, which PostgreSQL refuses. */
export function storable(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '\uFFFD');
}
