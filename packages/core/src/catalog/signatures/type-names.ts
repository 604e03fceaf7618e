import type { Definition } from '../schema/shape.ts';

/** Unique type names of one declaration file, and the definitions that are not declared yet. */
export interface TypeNames {
  /** Returns a unique name: `wanted`, or a similar name when it is taken. */
  claim(wanted: string): string;
  /** Returns the name of a definition, and queues the definition for `next`. */
  named(definition: Definition): string;
  /** Returns the next queued definition. */
  next(): [string, Definition] | undefined;
}

const MAX_NAME_CHARS = 80;

/** Creates the names of one declaration file. Names in `taken` are never returned. */
export function createTypeNames(taken: readonly string[]): TypeNames {
  const used = new Set(taken);
  // A schema can have thousands of definitions with the same name: counting from 1 each time would be slow.
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

/** Returns a word with its first letter in upper case, as in type names. */
export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns a word of any characters as a part of a type name. */
export function pascalCase(word: string): string {
  return word
    .split(/[^A-Za-z\d]+/)
    .map(upperFirst)
    .join('');
}
