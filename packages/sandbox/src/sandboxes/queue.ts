/** A fair queue: tenants take turns, and the items of one tenant keep their order. */
export interface FairQueue<T> {
  readonly length: number;
  push(tenant: string, item: T): void;
  /** Returns the next item without removing it. */
  peek(): T | undefined;
  /** Removes and returns the next item of a tenant that may run. Its tenant becomes the last in turn. */
  shift(mayRun?: (tenant: string) => boolean): T | undefined;
  /** Removes an item at any position. Returns false if it is not in the queue. */
  remove(tenant: string, item: T): boolean;
}

/** Creates an empty queue. */
export function fairQueue<T>(): FairQueue<T> {
  /** In the order of turns: a map keeps the insertion order of its keys. */
  const lines = new Map<string, T[]>();
  let length = 0;

  const first = () => lines.entries().next().value;
  return {
    get length() {
      return length;
    },
    push(tenant, item) {
      const line = lines.get(tenant);
      if (line) line.push(item);
      else lines.set(tenant, [item]);
      length++;
    },
    peek: () => first()?.[1][0],
    shift(mayRun = () => true) {
      for (const [tenant, line] of lines) {
        if (!mayRun(tenant)) continue;
        const item = line.shift();
        length--;
        lines.delete(tenant);
        if (line.length > 0) lines.set(tenant, line);
        return item;
      }
      return undefined;
    },
    remove(tenant, item) {
      const line = lines.get(tenant);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      line.splice(at, 1);
      length--;
      if (line.length === 0) lines.delete(tenant);
      return true;
    },
  };
}
