import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { isDescriptorShortage } from '../../processes/descriptors.ts';

const O_CLOEXEC = 0o2000000;
const LAST_STANDARD_STREAM = 2;
const FACTS_BYTES = 256;
/** Checked sockets and pipes that close on exec, by descriptor. The name contains an inode, so it is unique. */
const known = new Map<number, string>();
const UNIQUE = /^(socket|pipe):\[\d+\]$/;

/**
 * Returns the descriptors of this process that every child would inherit. Node opens none of this kind. But a process
 * may start with some, from a shell or a supervisor, and a native addon may open more.
 */
export function inheritedDescriptors(): number[] {
  const facts = Buffer.alloc(FACTS_BYTES);
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter(
      (descriptor) =>
        descriptor > LAST_STANDARD_STREAM && !isKnown(descriptor, facts) && !closesOnExec(descriptor, facts),
    );
}

/** Checks each descriptor only once: a server has thousands of connections and starts guests all the time. */
function isKnown(descriptor: number, facts: Buffer): boolean {
  try {
    const name = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (known.get(descriptor) === name) return true;
    const closes = UNIQUE.test(name) && closesOnExec(descriptor, facts);
    if (closes) known.set(descriptor, name);
    else known.delete(descriptor);
    return closes;
  } catch {
    return false;
  }
}

function closesOnExec(descriptor: number, facts: Buffer): boolean {
  try {
    const file = openSync(`/proc/self/fdinfo/${descriptor}`, 'r');
    try {
      const flags = /flags:\s+([0-7]+)/.exec(facts.toString('latin1', 0, readSync(file, facts)));
      return (Number.parseInt(flags?.[1] ?? '0', 8) & O_CLOEXEC) !== 0;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // Without a free descriptor nothing is known: the child might inherit this one.
    if (isDescriptorShortage(error)) throw error;
    // It was the descriptor of the listing, or has been closed meanwhile.
    return true;
  }
}
