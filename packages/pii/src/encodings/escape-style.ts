/** A way to encode single characters, and the form of placeholders that stand for such values. */
export interface EscapeStyle {
  readonly open: string;
  readonly close: string;
  /** The form of the underscore, if it differs. */
  readonly underscore?: string;
  /** Set if every character is encoded, also those of placeholders. */
  readonly isFull?: true;
  /** Set if a plus sign is a space: only for names and addresses, because an e-mail address may have a plus sign. */
  readonly hasPlus?: true;
  readonly encode: (text: string) => string;
}

/** One encoding of single characters with its styles, the usual one first. */
export interface Escaping {
  /** Occurs in every encoded text. */
  readonly sign: string;
  /** Returns undefined for a malformed text. */
  readonly decode: (encoded: string) => string | undefined;
  readonly styles: readonly EscapeStyle[];
}
