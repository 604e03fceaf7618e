/**
 * Returns whether a user that holds some places may take another one: it must leave at least as many free as it holds. One
 * user thus gets half of many places, a second one half of the rest, and so on. A new user finds a free place.
 */
export function mayTakeAnother(held: number, free: number): boolean {
  return free > 0 && held <= free;
}
