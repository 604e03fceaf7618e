type Row = Readonly<Record<string, unknown>>;

export interface Group {
  key: unknown;
  count: number;
  sum?: number;
}

/** Returns one group per value of the column `groupBy`, the largest first. */
export default function process({
  rows,
  where = {},
  groupBy,
  sum,
}: {
  rows: readonly Row[];
  where?: Row;
  groupBy: string;
  sum?: string;
}): Group[] {
  const groups = new Map<unknown, Group>();
  for (const row of rows) {
    if (Object.entries(where).some(([column, value]) => row[column] !== value)) continue;
    const key = row[groupBy];
    const group = groups.get(key) ?? { key, count: 0, ...(sum === undefined ? {} : { sum: 0 }) };
    group.count++;
    if (sum !== undefined) group.sum = (group.sum ?? 0) + Number(row[sum] ?? 0);
    groups.set(key, group);
  }
  const size = ({ count, sum: total = count }: Group) => total;
  return [...groups.values()].sort((a, b) => size(b) - size(a));
}
