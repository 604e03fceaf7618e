import { PART_ITEMS, type Steps } from './slices.ts';

/** Lists of up to so many items are sorted without a pause, which takes about a millisecond. */
const FEW_ITEMS = 2_048;

type Compare<Item> = (a: Item, b: Item) => number;

/** Orders the parts of a text by their start. */
export function byStart(a: { readonly start: number }, b: { readonly start: number }): number {
  return a.start - b.start;
}

/** Orders the parts of a text by their start, longer ones first. */
export function byStartAndLength(
  a: { readonly start: number; readonly end: number },
  b: { readonly start: number; readonly end: number },
): number {
  return a.start - b.start || b.end - a.end;
}

/**
 * Returns the steps to a list in order; equal items keep their order. A list that is in order is returned itself. A list of some ordered
 * lists takes time in proportion to its length.
 */
export function* inOrderSteps<Item>(list: readonly Item[], compare: Compare<Item>): Steps<readonly Item[]> {
  if (list.length <= FEW_ITEMS) return [...list].sort(compare);
  let starts = yield* runStarts(list, compare);
  let sorted: readonly Item[] = list;
  if (starts.length > list.length / PART_ITEMS) {
    const blocks: Item[] = [];
    starts = [];
    for (let at = 0; at < list.length; at += PART_ITEMS) {
      starts.push(at);
      for (const item of list.slice(at, at + PART_ITEMS).sort(compare)) blocks.push(item);
      yield;
    }
    sorted = blocks;
  }
  while (starts.length > 1) {
    const merged: Item[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      yield* mergeSteps(
        sorted,
        { from: starts[run] ?? 0, middle: starts[run + 1], to: starts[run + 2] },
        compare,
        merged,
      );
    }
    sorted = merged;
    starts = starts.filter((_, index) => index % 2 === 0);
  }
  return sorted;
}

/** Returns the indexes at which ordered parts of a list begin. */
function* runStarts<Item>(list: readonly Item[], compare: Compare<Item>): Steps<number[]> {
  const starts = [0];
  for (let at = 1; at < list.length; at++) {
    if (at % (8 * PART_ITEMS) === 0) yield;
    if (compare(list[at - 1] as Item, list[at] as Item) > 0) starts.push(at);
  }
  return starts;
}

/** Appends two neighbouring ordered parts of a list to `merged`, in order. Without an end, a part ends with the list. */
function* mergeSteps<Item>(
  list: readonly Item[],
  {
    from,
    middle = list.length,
    to = list.length,
  }: { from: number; middle: number | undefined; to: number | undefined },
  compare: Compare<Item>,
  merged: Item[],
): Steps {
  for (let left = from, right = middle; left < middle || right < to; ) {
    const isLeft = right >= to || (left < middle && compare(list[left] as Item, list[right] as Item) <= 0);
    merged.push(list[isLeft ? left++ : right++] as Item);
    if (merged.length % (8 * PART_ITEMS) === 0) yield;
  }
}
