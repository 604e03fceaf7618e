import { type Edit, withEditsSteps } from '../encodings/layer.ts';
import { byStartAndLength, inOrderSteps } from '../in-order.ts';
import { type Leaf, mapSteps } from '../json-walk.ts';
import { createIndex, scanSteps, type ValueIndex } from '../known-values/value-index.ts';
import { atOnceIfShort, inSlices, type Later, type Steps } from '../slices.ts';
import { type Written, writeSteps } from './programs/written-placeholders.ts';

/** The values that a program sees in place of their placeholders. */
export interface ShownValues {
  add(name: string, value: Written): void;
  has(name: string): boolean;
  readonly size: () => number;
  /** Returns a text or JSON text with the values in place of their placeholders. */
  reveal(text: string): string | Promise<string>;
  /** Returns a text with placeholders in place of the values. */
  conceal(text: string): string | Promise<string>;
  /** Returns a JSON value with placeholders in place of the values. */
  concealValue(value: unknown): unknown;
}

/** A letter or digit: a value inside of a longer word is another word. */
const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;

/** Creates an empty collection. */
export function createShownValues(): ShownValues {
  const values = new Map<string, Written>();
  const names = new Map<string, string>();
  let index: ValueIndex | undefined;

  const conceal = (text: string): Later<string> => atOnceIfShort(text.length, concealSteps(text));
  function* concealSteps(text: string): Steps<string> {
    const found: Edit[] = [];
    if (index)
      yield* scanSteps(index, text, (start, end, { folded }) => {
        const isWord =
          !WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start)) && !WORD_AFTER.test(text.slice(end, end + 2));
        if (isWord) found.push({ start, end, text: `[${names.get(folded) ?? ''}]` });
        return isWord;
      });
    if (found.length === 0) return text;
    // At one position, the longest counts.
    let last = 0;
    const edits = (yield* inOrderSteps(found, byStartAndLength)).filter(({ start, end }) => {
      if (start < last) return false;
      last = end;
      return true;
    });
    return yield* withEditsSteps(text, edits);
  }
  const concealLeaf = (leaf: Leaf) => {
    if (typeof leaf === 'string') return conceal(leaf);
    const name = names.get(String(leaf));
    return name !== undefined && values.get(name)?.isNumber ? `[${name}]` : leaf;
  };
  return {
    add(name, value) {
      values.set(name, value);
      names.set(value.text, name);
      index ??= createIndex();
      index.add({ name, folded: value.text, edges: false, words: false, exact: undefined });
    },
    has: (name) => values.has(name),
    size: () => values.size,
    reveal: (text) => (values.size === 0 ? text : inSlices(writeSteps(text, (name) => values.get(name)))),
    conceal: (text) => (values.size === 0 ? text : inSlices(concealSteps(text))),
    concealValue: (value) => (values.size === 0 ? value : inSlices(mapSteps(value, concealLeaf, (key) => key))),
  };
}
