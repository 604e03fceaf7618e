/** Returns milliseconds since some moment, the same in all threads of a process. On most systems, it is the start of the machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
