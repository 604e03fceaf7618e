import { createHash } from 'node:crypto';

/** Returns a short, stable hash of a text: `length` lower-case hexadecimal digits. */
export function shortHash(text: string, length = 6): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** Returns `base` plus a hash of `name`. The hash is as long as necessary to make the result unique. */
export function hashedName(
  base: string,
  separator: string,
  name: string,
  taken: { has(name: string): boolean },
): string {
  for (let length = 6; length < 64; length++) {
    const candidate = `${base}${separator}${shortHash(name, length)}`;
    if (!taken.has(candidate)) return candidate;
  }
  return `${base}${separator}${shortHash(name, 64)}`;
}

/** Groups names by a key, in the order of the names. */
export function groupNames(names: readonly string[], key: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(key(name));
    if (group) group.push(name);
    else groups.set(key(name), [name]);
  }
  return groups;
}
