import type { EncodedPart } from './part.ts';

/** A placeholder, also an escaped one, in the percent-encoding of URLs. */
const RUN = /%5B(~{0,64}[A-Z][A-Z0-9_]{1,23}_\d{1,9})%5D/gi;

/** Returns the placeholders of a text that are percent-encoded (RFC 3986): `%5BEMAIL_1%5D`. */
export function percentParts(text: string): EncodedPart[] {
  if (!text.includes('%')) return [];
  return [...text.matchAll(RUN)].map(({ 0: run, 1: name = '', index }) => ({
    kind: 'percent',
    start: index,
    end: index + run.length,
    content: `[${name}]`,
    encode: (content) => (content === `[${name}]` ? run : encodeURIComponent(String(content))),
  }));
}
