import type { Redactor } from '@toolwright/pii/internal';

/** Characters read after the cut, so that a value across the cut is complete. */
const MARGIN_CHARACTERS = 8 * 1_024;
/** The start of a placeholder at the end of a text. */
const UNFINISHED = /\[~*[A-Z][A-Z0-9_]*$/;

/**
 * Returns the redacted start of a text, at most `length` characters. Redaction does not recognise a value that is cut in two.
 * Placeholders are shorter than values, so such a half could move to before the cut. The result is therefore the part that
 * two cuts, one after the other, have in common.
 */
export async function redactedPrefix(text: string, length: number, redactor: Redactor): Promise<string> {
  const cuts = [text.slice(0, length), text.slice(0, length + MARGIN_CHARACTERS)] as const;
  const [one, other] = await redactor.redact(cuts);
  let same = 0;
  while (same < one.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  return one.slice(0, Math.min(same, length)).replace(UNFINISHED, '');
}
