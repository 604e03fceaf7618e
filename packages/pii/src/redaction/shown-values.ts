import { type Leaf, mapSteps } from '../json-walk.ts';
import { inSlices } from '../slices.ts';
import { type Written, writeTexts } from './written-placeholders.ts';

/** The values that a program sees in place of their placeholders. */
export interface ShownValues {
  add(name: string, value: Written): void;
  has(name: string): boolean;
  readonly size: () => number;
  /** Returns a text or JSON text with the values in place of their placeholders. */
  reveal(text: string): string;
  /** Returns a text with placeholders in place of the values. */
  conceal(text: string): string;
  /** Returns a JSON value with placeholders in place of the values. */
  concealValue(value: unknown): Promise<unknown>;
}

/** Creates an empty collection. */
export function createShownValues(): ShownValues {
  const values = new Map<string, Written>();
  const names = new Map<string, string>();
  let pattern: RegExp | undefined;

  const conceal = (text: string) => (pattern ? text.replace(pattern, (found) => `[${names.get(found) ?? ''}]`) : text);
  const concealLeaf = (leaf: Leaf) => {
    if (typeof leaf === 'string') return conceal(leaf);
    const name = names.get(String(leaf));
    return name !== undefined && values.get(name)?.isNumber ? `[${name}]` : leaf;
  };
  return {
    add(name, value) {
      values.set(name, value);
      names.set(value.text, name);
      pattern = wordsPattern([...names.keys()]);
    },
    has: (name) => values.has(name),
    size: () => values.size,
    reveal: (text) => (values.size === 0 ? text : writeTexts(text, (name) => values.get(name))),
    conceal,
    concealValue: async (value) => (pattern ? inSlices(mapSteps(value, concealLeaf, (key) => key)) : value),
  };
}

/** Returns a pattern for whole words: a value inside of a longer word is another word. */
function wordsPattern(texts: readonly string[]): RegExp {
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
}
