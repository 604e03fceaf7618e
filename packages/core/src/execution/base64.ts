const BASE64 = /^[\w+/-]*={0,2}\s*$/;

/** Returns base64 or base64url without its line breaks; undefined for another text. */
export function plainBase64(text: string): string | undefined {
  const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  return BASE64.test(plain) ? plain : undefined;
}
