/** The arguments of several calls: the values that all of them share, and those that differ. */
export interface Differences {
  /** Values that all calls have, by path. */
  readonly same: Readonly<Record<string, unknown>>;
  /** Paths whose values differ, in the order of their first use. */
  readonly paths: readonly string[];
  /** The differing values of each call, by path. */
  readonly rows: readonly ReadonlyMap<string, unknown>[];
}

/** More columns are no table that a person reads. */
const MAX_PATHS = 6;

/** Compares the arguments of calls of one tool. Undefined where too many values differ for a table. */
export function differencesOf(calls: readonly unknown[]): Differences | undefined {
  if (calls.length < 2) return undefined;
  const leaves = calls.map((call) => new Map(leavesOf(call, '')));
  const all = [...new Set(leaves.flatMap((call) => [...call.keys()]))];
  const isSame = (path: string) => {
    const [first] = leaves;
    return leaves.every(
      (call) => call.has(path) && JSON.stringify(call.get(path)) === JSON.stringify(first?.get(path)),
    );
  };
  const paths = all.filter((path) => !isSame(path));
  if (paths.length > MAX_PATHS) return undefined;
  const same = Object.fromEntries(all.filter(isSame).map((path) => [path, leaves[0]?.get(path)]));
  const rows = leaves.map((call) => new Map([...call].filter(([path]) => paths.includes(path))));
  return { same, paths, rows };
}

function leavesOf(value: unknown, path: string): [string, unknown][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, value]];
  const isList = Array.isArray(value);
  return entries.flatMap(([key, child]) =>
    leavesOf(child, isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
  );
}
