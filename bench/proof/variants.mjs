// The variants in which each task is run, and the faults.

const FAULTS = ['none', 'late', 'twice', 'session', 'restart', 'kill'];

/** Returns all variants: languages × redaction without faults in each sandbox, and all faults in TypeScript and Python. */
export function allVariants(sandboxes) {
  const variants = [];
  for (const sandbox of sandboxes) {
    for (const language of sandbox === 'jail' ? ['typescript', 'python'] : ['typescript']) {
      for (const redaction of [false, true]) {
        for (const fault of redaction ? FAULTS : ['none']) variants.push({ sandbox, language, redaction, fault });
      }
    }
  }
  return variants;
}

export const titleOf = ({ sandbox, language, redaction, fault }) =>
  [sandbox, language, redaction ? 'redacted' : 'plain', fault === 'none' ? 'no fault' : fault].join(', ');

/** Returns the fault of one task for the server, at a call that `random` chooses. A task without calls has none. */
export function faultOf(kind, calls, random) {
  if (kind === 'none' || calls === 0) return undefined;
  const at = random.whole(1, calls);
  if (kind === 'kill') return { kind: random.whole(0, 1) === 0 ? 'before' : 'after', at };
  return { kind, at };
}
