/** A part of a text that encodes another text or a JSON value. Encoding its content again gives exactly the same characters. */
export interface EncodedPart {
  /** `json` is a whole text. */
  readonly kind: 'json' | 'base64' | 'hex' | 'percent';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** A text, or for `json` a JSON value. */
  readonly content: unknown;
  /** Returns other content in the same form. */
  encode(content: unknown): string;
}
