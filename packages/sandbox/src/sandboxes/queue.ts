/** Who waits, taken in turns: each tenant's own in the order of asking, and no tenant twice before another's turn. */
export interface FairQueue<T> {
  readonly length: number;
  push(tenant: string, item: T): void;
  /** The one whose turn it is, without taking it. */
  peek(): T | undefined;
  /** Takes the one whose turn it is; its tenant goes to the end of the line. */
  shift(): T | undefined;
  /** Takes one out, wherever it stands. False when it is not there. */
  remove(tenant: string, item: T): boolean;
}

/** Makes an empty queue. */
export function fairQueue<T>(): FairQueue<T> {
  /** In the order of turns: a map keeps the order in which its keys came. */
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
    shift() {
      const [tenant, line] = first() ?? [];
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
