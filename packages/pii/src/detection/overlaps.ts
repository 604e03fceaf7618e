import { byStartAndLength, inOrderSteps } from '../in-order.ts';
import { atOnce, PART_CHARACTERS, type Steps } from '../slices.ts';
import { type Evidence, PII_TYPES, type Span } from './detector.ts';

const STRENGTH: Readonly<Record<Evidence, number>> = { proved: 0, marked: 1, 'shape+context': 2, shape: 3 };

/**
 * Returns the spans without overlaps, sorted. Of two overlapping spans the longer stays, then the one with the stronger
 * evidence, then the one whose type comes first in `PII_TYPES`. Custom types come before the built-in ones.
 */
export function resolveOverlaps(spans: readonly Span[]): Span[] {
  return atOnce(overlapSteps(spans));
}

/** Returns the steps of {@link resolveOverlaps}. */
export function* overlapSteps(spans: readonly Span[]): Steps<Span[]> {
  if (spans.length < 2) return [...spans];
  const inOrder = yield* inOrderSteps(spans, byStartAndLength);
  const kept: Span[] = [];
  let group: Span[] = [];
  let end = -1;
  for (const [index, span] of inOrder.entries()) {
    if (index % PART_CHARACTERS === PART_CHARACTERS - 1) yield;
    if (span.start >= end && group.length > 0) {
      for (const own of best(group)) kept.push(own);
      group = [];
    }
    group.push(span);
    end = Math.max(end, span.end);
  }
  for (const own of best(group)) kept.push(own);
  return kept;
}

/** Returns the spans to keep of a group of connected overlaps. */
function best(group: readonly Span[]): readonly Span[] {
  if (group.length === 1) return group;
  const kept: Span[] = [];
  for (const span of [...group].sort(byRank)) {
    const at = firstAfter(kept, span.start);
    const before = kept[at - 1];
    const after = kept[at];
    const free = (before === undefined || before.end <= span.start) && (after === undefined || after.start >= span.end);
    if (free) kept.splice(at, 0, span);
  }
  return kept;
}

/** Returns the index of the first span of a sorted list that starts after a position. */
function firstAfter(spans: readonly Span[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.start ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function byRank(a: Span, b: Span): number {
  return (
    b.end - b.start - (a.end - a.start) ||
    STRENGTH[a.evidence] - STRENGTH[b.evidence] ||
    priority(a) - priority(b) ||
    a.start - b.start
  );
}

function priority({ type }: Span): number {
  return (PII_TYPES as readonly string[]).indexOf(type);
}
