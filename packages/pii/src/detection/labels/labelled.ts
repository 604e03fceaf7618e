import type { Steps } from '../../slices.ts';
import type { PiiType, Span } from '../detector.ts';
import { isNameOf } from '../hints/object-evidence.ts';
import { isPersonalName } from '../hints/personal-names.ts';
import { EVIDENCE } from '../hints/persons.ts';
import { wholeValue } from '../scanning/leaf.ts';
import { type Entry, entriesOf } from './entries.ts';
import { recordSpans } from './records.ts';
import { addressAt, isCommon, nameAt } from './values.ts';

/** Types of values with digits that have no check digit: the key is their only proof. */
const WITH_DIGITS: ReadonlySet<string> = new Set(['DATE_OF_BIRTH', 'PHONE']);
const MIN_DIGITS = 6;
const WORD = "\\p{Lu}(?:[\\p{L}\\p{M}]|['’-](?=\\p{L})){1,29}";
/** A name before its e-mail address, as in headers of mail and in commits. */
const BEFORE_ADDRESS = new RegExp(
  `(?<![\\p{L}\\p{N}])(${WORD}(?:,? (?:\\p{Lu}\\.|(?:van|von|de|der|di|da|del|la) ?|${WORD})){0,3},? ${WORD})"? $`,
  'u',
);
/** Roles and teams have letters of upper case: "QA Lead". */
const INITIALS = /\p{Lu}{2}/u;
const MAX_ADDRESS_CHARS = 64;
const MAX_NAME_CHARS = 100;

/** Finds values under keys in texts that are no JSON and no table. Takes time in proportion to the length of the text. */
export function* labelledSteps(text: string, found: Span[]): Steps {
  for (const entry of yield* entriesOf(text)) {
    const span = spanOf(text, entry);
    if (span) found.push(span);
  }
  yield;
  for (const span of recordSpans(text)) found.push(span);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const span = nameBefore(text, at);
    if (span) found.push(span);
  }
}

/** Returns the name before an e-mail address in angle brackets, by the place of its `@`. */
function nameBefore(text: string, at: number): Span | undefined {
  let open = at - 1;
  while (open > at - MAX_ADDRESS_CHARS && text.charCodeAt(open) > 32 && text[open] !== '<' && text[open] !== '@')
    open--;
  if (text[open] !== '<' || text[open - 1] !== ' ') return undefined;
  const before = text.slice(Math.max(0, open - MAX_NAME_CHARS), open);
  const match = BEFORE_ADDRESS.exec(before);
  return match ? marked(open - before.length + match.index, match[1]?.length ?? 0, 'NAME') : undefined;
}

function spanOf(text: string, { facts, start, end, isClosed, group }: Entry): Span | undefined {
  const value = text.slice(start, end);
  const { hint } = facts;
  if (hint === 'ADDRESS') {
    const address = addressAt(value);
    return address === undefined ? undefined : marked(start, address.length, 'ADDRESS');
  }
  if (
    hint === 'NAME' ||
    hint === 'BARE_NAME' ||
    ((hint === undefined || hint === 'NEUTRAL') && facts.inside === EVIDENCE.parent)
  ) {
    const name = nameAt(isClosed ? value : text.slice(start, end + 2), isClosed);
    if (name === undefined) return undefined;
    const isPerson =
      hint === 'NAME'
        ? !isCommon(name) || group.evidence.person >= EVIDENCE.contact
        : hint === 'BARE_NAME'
          ? isNameOf(name, facts, group.inside, group.evidence)
          : !INITIALS.test(name) && isPersonalName(name, EVIDENCE.weak, 0);
    return isPerson ? marked(start, name.length, 'NAME') : undefined;
  }
  if (hint === undefined || !WITH_DIGITS.has(hint) || value.replace(/\D/g, '').length < MIN_DIGITS) return undefined;
  const whole = wholeValue(value, hint);
  return whole && { ...whole, start: start + whole.start, end: start + whole.end };
}

function marked(start: number, length: number, type: PiiType): Span {
  return { start, end: start + length, type, evidence: 'marked' };
}
