/**
 * Returns whether a value is nested deeper than `levels`. Needs no recursion, so that it is safe for values of any depth, which
 * `JSON.stringify` and every recursive walk are not. A cyclic value is deeper than any limit.
 */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  const open: [value: unknown, level: number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [held, level] = next;
    if (typeof held !== 'object' || held === null) continue;
    if (level >= levels) return true;
    for (const child of Object.values(held)) {
      if (typeof child === 'object' && child !== null) open.push([child, level + 1]);
    }
  }
  return false;
}
