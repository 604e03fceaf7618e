/** Levels that are walked by recursion, which takes a tenth of the time. */
const MAX_RECURSION = 200;

/**
 * Returns whether a value is nested deeper than `levels`. It is safe for values of any depth, which `JSON.stringify` and most
 * recursive walks are not. A cyclic value is deeper than any limit.
 */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) && isDeeper(value, levels, MAX_RECURSION);
}

function isDeeper(held: object, levels: number, recursions: number): boolean {
  if (levels <= 0) return true;
  if (recursions === 0) return isDeeperWithoutRecursion(held, levels);
  if (Array.isArray(held)) {
    for (const child of held) if (isContainer(child) && isDeeper(child, levels - 1, recursions - 1)) return true;
    return false;
  }
  for (const key in held) {
    const child: unknown = held[key as keyof typeof held];
    if (isContainer(child) && isDeeper(child, levels - 1, recursions - 1)) return true;
  }
  return false;
}

function isDeeperWithoutRecursion(value: object, levels: number): boolean {
  const open: [held: object, level: number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [held, level] = next;
    if (level >= levels) return true;
    for (const child of Object.values(held)) if (isContainer(child)) open.push([child, level + 1]);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
