const BASE64 = /^[\w+/-]*={0,2}\s*$/;

/** Returns base64 or base64url without its line breaks; undefined for another text. */
export function plainBase64(text: string): string | undefined {
  // Texts without a line break are the most: a search is faster than a pattern.
  const plain = text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, '') : text;
  return BASE64.test(plain) ? plain : undefined;
}
