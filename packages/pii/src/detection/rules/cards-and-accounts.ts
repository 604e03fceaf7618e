import type { Span } from '../detector.ts';
import type { Hint } from '../hints/words.ts';
import { closesAt } from './boundaries.ts';
import { ibanLength, isIban, isIssued, isLuhn, isSsn } from './checksums.ts';
import { BETWEEN, digitsOf, type Groups, hasSizes, isFollowedBy, isSeparatedBy, sizeOf } from './digit-groups.ts';

const CARD_SEPARATORS =
  BETWEEN.space +
  BETWEEN.spaces +
  BETWEEN.hyphen +
  BETWEEN.spacedHyphen +
  BETWEEN.halfSpacedHyphen +
  BETWEEN.point +
  BETWEEN.spacedPoint +
  BETWEEN.slash +
  BETWEEN.underscore;
const SSN_SEPARATORS = BETWEEN.hyphen + BETWEEN.spacedHyphen + BETWEEN.space + BETWEEN.point;
const MIN_CARD_DIGITS = 12;
const MAX_CARD_DIGITS = 19;

/** Returns the payment card that begins with the groups: an issuer's range and a valid check digit. */
export function cardAt(text: string, groups: Groups, near: () => Hint | undefined): Span | undefined {
  const first = sizeOf(groups, 0);
  if (first !== 4 && first < MIN_CARD_DIGITS && near() !== 'CREDIT_CARD') return undefined;
  let total = 0;
  let found: Span | undefined;
  for (let count = 1; count <= groups.count && total <= MAX_CARD_DIGITS; count++) {
    total += sizeOf(groups, count - 1);
    if (total < MIN_CARD_DIGITS || total > MAX_CARD_DIGITS) continue;
    const end = groups.ends[count - 1] ?? 0;
    const printed = isPrinted(groups, count);
    // In the path of a URL, the number is between slashes: `/cards/4539…/view`.
    const closes = closesAt(text, end) || (text[end] === '/' && near() === 'CREDIT_CARD');
    if ((!printed && near() !== 'CREDIT_CARD') || !closes) continue;
    if (!isSeparatedBy(groups, count, CARD_SEPARATORS)) continue;
    if (count > 1 && isInTable(text, groups, count) && near() !== 'CREDIT_CARD') continue;
    const right = isLuhn(text, groups.starts[0] ?? 0, end);
    // Most rows of figures end here: no word near them indicates a card.
    if (!right && near() !== 'CREDIT_CARD') continue;
    const evidence = cardEvidence(digitsOf(text, groups, count), right, count, printed, near);
    if (evidence) found = { start: groups.starts[0] ?? 0, end, type: 'CREDIT_CARD', evidence };
  }
  return found;
}

/** Checks for more figures of four digits before or after: a table or a dump. */
function isInTable(text: string, groups: Groups, count: number): boolean {
  const start = groups.starts[0] ?? 0;
  const after = groups.count > count && sizeOf(groups, count) === 4 && isFollowedBy(groups, count - 1, BETWEEN.space);
  return after || /(?:^|[^\da-z])[\da-f]{4} $/i.test(text.slice(Math.max(0, start - 6), start));
}

/** Checks for the printed groups of cards: 4-4-4-4(-3), 4-6-5, 4-6-4, or one group. */
function isPrinted(groups: Groups, count: number): boolean {
  if (count === 1) return true;
  const second = sizeOf(groups, 1);
  if (sizeOf(groups, 0) !== 4) return false;
  if (count === 3) return second === 6 && (sizeOf(groups, 2) === 5 || sizeOf(groups, 2) === 4);
  if (count < 4 || count > 5 || second !== 4 || sizeOf(groups, 2) !== 4 || sizeOf(groups, 3) !== 4) return false;
  return count === 4 || sizeOf(groups, 4) < 4;
}

function cardEvidence(
  digits: string,
  right: boolean,
  count: number,
  printed: boolean,
  near: () => Hint | undefined,
): Span['evidence'] | undefined {
  const usual = isIssued(digits);
  if (!usual && !right) return undefined;
  const hint = near();
  const labelled = hint === 'CREDIT_CARD';
  if (count === 1 && hint === 'OTHER') return undefined;
  if (right) return usual || labelled ? 'proved' : undefined;
  return labelled && printed ? 'shape+context' : undefined;
}

/** Returns a US social security number: with hyphens, or near a word that indicates it. */
export function ssnAt(text: string, groups: Groups, near: () => Hint | undefined): Span | undefined {
  const first = sizeOf(groups, 0);
  if (first !== 9 && !hasSizes(groups, 0, 3, 2, 4)) return undefined;
  const hint = near();
  const labelled = hint === 'SSN';
  const whole = labelled && first === 9;
  const count = whole ? 1 : 3;
  if (!whole && (groups.count < 3 || first !== 3)) return undefined;
  const hyphens = isSeparatedBy(groups, count, BETWEEN.hyphen);
  if (!labelled && (!hyphens || hint === 'OTHER')) return undefined;
  if (!isSeparatedBy(groups, count, SSN_SEPARATORS) || !isSsn(digitsOf(text, groups, count), labelled)) {
    return undefined;
  }
  const end = groups.ends[count - 1] ?? 0;
  if (!closesAt(text, end)) return undefined;
  return { start: groups.starts[0] ?? 0, end, type: 'SSN', evidence: labelled ? 'shape+context' : 'shape' };
}

/** Returns the IBAN at a position, with up to two spaces, hyphens or points between its characters. */
export function ibanAt(text: string, start: number, near: () => Hint | undefined): Span | undefined {
  const length = ibanLength(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let compact = '';
  let at = start;
  let gap = 0;
  while (compact.length < length && at < text.length) {
    const code = text.charCodeAt(at);
    if ((code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)) {
      compact += text[at];
      gap = 0;
    } else if (++gap > 2 || !(code === 32 || code === 45 || code === 46)) return undefined;
    at++;
  }
  if (compact.length < length || !closesAt(text, at)) return undefined;
  const proved = isIban(compact.toUpperCase());
  if (!proved && near() !== 'IBAN') return undefined;
  return { start, end: at, type: 'IBAN', evidence: proved ? 'proved' : 'shape+context' };
}
