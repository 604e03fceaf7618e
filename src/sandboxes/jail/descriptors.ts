import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;
const LAST_STANDARD_STREAM = 2;
const FACTS_BYTES = 256;

/**
 * Descriptors of this process that every child would inherit. Node opens none such, but a process may be born with some
 * (of a shell, of a supervisor), and a native addon may open more.
 */
export function inheritedDescriptors(): number[] {
  const facts = Buffer.alloc(FACTS_BYTES);
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor > LAST_STANDARD_STREAM && !closesOnExec(descriptor, facts));
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
  } catch {
    // It was the descriptor of the listing itself, or has been closed meanwhile.
    return true;
  }
}
