import { ToolwrightError } from '../errors.ts';
import type { Entry, Store } from '../store.ts';

/** The numbers of a copy. */
export interface CopiedState {
  readonly namespaces: number;
  readonly entries: number;
  readonly bytes: number;
}

/** Bytes of one write. */
const MAX_WRITE_BYTES = 4 * 1024 * 1024;

/**
 * Copies all namespaces of a store into another one, with the rest of their lifetimes. Nobody may write to either meanwhile. Raises
 * `CONFIG_INVALID` for a target that is not empty, unless `overwrite` is set: a second run then finishes an interrupted one.
 */
export async function copyStore(from: Store, to: Store, { overwrite = false } = {}): Promise<CopiedState> {
  if (from.remaining === undefined) {
    const message = `The store "${from.name}" does not report lifetimes, so it cannot be copied.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  if (!overwrite && !(await isEmpty(to))) {
    const message = `The target store "${to.name}" is not empty. Use another one, or --overwrite to replace entries that both have.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const copied = { namespaces: 0, entries: 0, bytes: 0 };
  for await (const namespace of from.namespaces('')) {
    let isCopied = false;
    for await (const page of from.list(namespace)) {
      for (const part of partsOf(page)) {
        // A namespace that has just expired has no lifetime, and would last for ever.
        const lifetime = await from.remaining(namespace);
        if (lifetime === undefined) break;
        await to.put(namespace, part, lifetime);
        isCopied = true;
        copied.entries += part.length;
        copied.bytes += part.reduce((sum, { value }) => sum + value.length, 0);
      }
    }
    if (isCopied) copied.namespaces++;
  }
  return copied;
}

async function isEmpty(store: Store): Promise<boolean> {
  for await (const _name of store.namespaces('')) return false;
  return true;
}

/** Splits a page, so that one write is not too large. */
function partsOf(page: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of page) {
    if (bytes + entry.value.length > MAX_WRITE_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(entry);
    bytes += entry.value.length;
  }
  return parts;
}
