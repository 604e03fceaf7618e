import type { Definition } from '../schema/shape.ts';

/** Names for types, unique within one declaration file, and the definitions that still have to be declared. */
export interface TypeNames {
  /** A free name, `wanted` when it can be. */
  claim(wanted: string): string;
  /** The name of a definition, which `next` will give. */
  named(definition: Definition): string;
  /** The next definition that was named and not yet given. */
  next(): [string, Definition] | undefined;
}

const MAX_NAME_CHARS = 80;

/** Starts the names of a declaration file. None of `taken` is given. */
export function createTypeNames(taken: readonly string[]): TypeNames {
  const used = new Set(taken);
  // Thousands of definitions may want one name.
  const lastNumbers = new Map<string, number>();
  const names = new Map<Definition, string>();
  const waiting: [string, Definition][] = [];
  const claim = (wanted: string): string => {
    const base = wanted
      .replace(/[^A-Za-z\d_]+/g, '_')
      .replace(/^(?=\d|$)/, '_')
      .slice(0, MAX_NAME_CHARS);
    let name = base;
    let number = lastNumbers.get(base) ?? 1;
    while (used.has(name)) name = `${base}${++number}`;
    lastNumbers.set(base, number);
    used.add(name);
    return name;
  };
  return {
    claim,
    named(definition) {
      const known = names.get(definition);
      if (known !== undefined) return known;
      const name = claim(upperFirst(definition.name));
      names.set(definition, name);
      waiting.push([name, definition]);
      return name;
    },
    next: () => waiting.shift(),
  };
}

/** A word as types are written: its first letter in upper case. */
export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
