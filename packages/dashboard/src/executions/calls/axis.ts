/** A time range in milliseconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A time axis that shows idle time shorter than it was. */
export interface Axis {
  readonly start: number;
  /** Returns the position of a time: 0 at the start, 1 at the end. */
  readonly at: (time: number) => number;
  /** The collapsed ranges, with the positions of their start and end. */
  readonly gaps: readonly (Span & { readonly from: number; readonly to: number })[];
}

/** A range without calls is collapsed when it is longer than this, in milliseconds, and than this multiple of the busy time. */
const LONG_GAP_MS = 10_000;
const LONG_GAP = 5;
/** The part of the other time that a collapsed range has on the axis. */
const GAP_WIDTH = 0.15;

/**
 * Returns the axis of calls. Times are true to scale, except for long ranges in which no call ran, such as the night before
 * an approval. These ranges are collapsed and marked, so that the calls keep a readable width.
 */
export function axisOf(calls: readonly Span[], whole: Span): Axis {
  const busy = merge(calls);
  const bounds = [{ start: whole.start, end: whole.start }, ...busy, { start: whole.end, end: whole.end }];
  const idle = bounds.slice(1).map((next, index) => ({ start: bounds[index]?.end ?? next.start, end: next.start }));
  const busyMs = busy.reduce((sum, { start, end }) => sum + end - start, 0);
  const longest = Math.max(LONG_GAP_MS, busyMs * LONG_GAP);
  const long = busyMs === 0 ? [] : idle.filter(({ start, end }) => end - start > longest);
  const shownMs = whole.end - whole.start - long.reduce((sum, { start, end }) => sum + end - start, 0);
  const width = Math.max(shownMs * GAP_WIDTH, 1);
  const removed = (time: number) =>
    long.reduce((sum, gap) => {
      if (time <= gap.start) return sum;
      const part = Math.min(1, (time - gap.start) / (gap.end - gap.start));
      return sum + part * (gap.end - gap.start - width);
    }, 0);
  const total = Math.max(1, whole.end - whole.start - removed(whole.end));
  const at = (time: number) => Math.min(1, Math.max(0, (time - whole.start - removed(time)) / total));
  return { start: whole.start, at, gaps: long.map((gap) => ({ ...gap, from: at(gap.start), to: at(gap.end) })) };
}

/** Returns the spans in order, with overlapping ones as one. */
function merge(spans: readonly Span[]): Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end: Math.max(start, end) });
  }
  return merged;
}
