/** A fair queue: tenants take turns, and the items of one tenant keep their order. */
export interface FairQueue<T> {
  readonly length: number;
  push(tenant: string, item: T): void;
  /** Returns the next item of a tenant that may run, without removing it. */
  peek(mayRun?: (tenant: string) => boolean): T | undefined;
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

  const next = (mayRun: (tenant: string) => boolean) => {
    for (const tenant of lines.keys()) if (mayRun(tenant)) return tenant;
    return undefined;
  };
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
    peek(mayRun = () => true) {
      const tenant = next(mayRun);
      return tenant === undefined ? undefined : lines.get(tenant)?.[0];
    },
    shift(mayRun = () => true) {
      const tenant = next(mayRun);
      const line = tenant === undefined ? undefined : lines.get(tenant);
      if (tenant === undefined || line === undefined) return undefined;
      const item = line.shift();
      length--;
      lines.delete(tenant);
      if (line.length > 0) lines.set(tenant, line);
      return item;
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
