import type { Span } from '../detector.ts';
import type { Hint } from '../hints/words.ts';
import { isDigit, isWord, opensAt } from './boundaries.ts';
import { callingCodeLength, maxDigitsOf } from './calling-codes.ts';
import { isIssued, isLuhn, isSsn } from './checksums.ts';

/** More digits than any number has that the rules find. */
const MAX_DIGITS = 20;
const MIN_DIGITS = 7;
const MAX_GAP_CHARS = 3;
const HYPHENATED_SSN = /^\d \d \d ?- ?\d \d ?- ?\d \d \d \d$/;

/**
 * Returns the number with spaced digits at a position, "4 1 1 1 - 1 1 1 1 …", and the end of the row. A row that is longer
 * than any number has no span.
 */
export function spacedDigitsAt(
  text: string,
  start: number,
  near: () => Hint | undefined,
): { span?: Span; end: number } {
  let digits = '';
  let end = start;
  let count = 0;
  for (let at = start; isDigit(text.charCodeAt(at)) && !isWord(text.charCodeAt(at + 1)); ) {
    if (count++ < MAX_DIGITS) digits += text[at];
    end = at + 1;
    at = end;
    while (at < end + MAX_GAP_CHARS && isGap(text.charCodeAt(at))) at++;
    if (at === end) break;
  }
  const type =
    count < MIN_DIGITS || count >= MAX_DIGITS || !opensAt(text, start)
      ? undefined
      : typeOf(text.slice(start, end), digits, text[start - 1] === '+', near);
  if (type === undefined) return { end };
  const from = type === 'PHONE' && text[start - 1] === '+' ? start - 1 : start;
  return { span: { start: from, end, type, evidence: type === 'CREDIT_CARD' ? 'proved' : 'shape+context' }, end };
}

function typeOf(written: string, digits: string, plus: boolean, near: () => Hint | undefined): Hint | undefined {
  const hint = near();
  if (plus) return isInternational(digits) ? 'PHONE' : undefined;
  if (digits.length > 12 && isIssued(digits) && isLuhn(digits) && hint !== 'OTHER') return 'CREDIT_CARD';
  if (digits.length === 9 && isSsn(digits, false) && (hint === 'SSN' || HYPHENATED_SSN.test(written))) return 'SSN';
  return hint === 'PHONE' && digits.length <= 15 && !written.includes('.') ? 'PHONE' : undefined;
}

function isInternational(digits: string): boolean {
  const code = callingCodeLength(digits);
  return code > 0 && digits.length > 8 && digits.length <= maxDigitsOf(digits.slice(0, code));
}

function isGap(code: number): boolean {
  return code === 32 || code === 45 || code === 46 || code === 95;
}
