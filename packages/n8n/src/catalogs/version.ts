/** Compares two versions number by number, for sorting. */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
