import type { Redactor } from '@toolwright/pii/internal';

/** Characters behind the cut that are looked at: a value that goes through it is whole with them. */
const MARGIN_CHARACTERS = 8 * 1_024;
/** What is left of a placeholder when a text ends in it. */
const UNFINISHED = /\[~*[A-Z][A-Z0-9_]*$/;

/**
 * The start of a text of which at most `length` characters are wanted, guarded as for a model. A value that was cut in two
 * is not recognised, and placeholders are shorter than values, so that such a part may come to stand within the length: what
 * is given is what two cuts, one behind the other, agree on.
 */
export async function redactedPrefix(text: string, length: number, redactor: Redactor): Promise<string> {
  const cuts = [text.slice(0, length), text.slice(0, length + MARGIN_CHARACTERS)] as const;
  const [one, other] = await redactor.redact(cuts);
  let same = 0;
  while (same < one.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  return one.slice(0, Math.min(same, length)).replace(UNFINISHED, '');
}
