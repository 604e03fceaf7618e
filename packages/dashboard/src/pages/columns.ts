/** A connection between two nodes, by their places in a list. */
export interface Link {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the steps by columns. A step is in the column after the last step that leads to it. A cycle is cut at its first step in the
 * list.
 */
export function columnsOf(steps: readonly number[], links: readonly Link[]): number[][] {
  const after = new Map<number, number[]>(steps.map((step) => [step, []]));
  const open = new Map<number, number>(steps.map((step) => [step, 0]));
  for (const { from, to } of links) {
    after.get(from)?.push(to);
    open.set(to, (open.get(to) ?? 0) + 1);
  }
  const columnOf = new Map<number, number>();
  const done = new Set<number>();
  const queue = steps.filter((step) => open.get(step) === 0);
  let first = 0;
  for (let at = 0; done.size < steps.length; at++) {
    while (at >= queue.length && done.has(steps[first] as number)) first++;
    const step = queue[at] ?? (steps[first] as number);
    if (at >= queue.length) queue.push(step);
    if (done.has(step)) continue;
    done.add(step);
    const column = columnOf.get(step) ?? 0;
    columnOf.set(step, column);
    for (const next of after.get(step) ?? []) {
      if (done.has(next)) continue;
      columnOf.set(next, Math.max(columnOf.get(next) ?? 0, column + 1));
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) queue.push(next);
    }
  }
  const columns: number[][] = [];
  for (const step of steps) {
    const column = columnOf.get(step) ?? 0;
    while (columns.length <= column) columns.push([]);
    columns[column]?.push(step);
  }
  return columns;
}
