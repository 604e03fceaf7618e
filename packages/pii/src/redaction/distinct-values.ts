import type { FoundValue } from '../vault/vault.ts';

/** Returns the same object for equal values. */
export type Distinct = (value: FoundValue) => FoundValue;

/** Returns a function for the values of one call. A text may have one value a million times. */
export function distinctValues(): Distinct {
  const byType = new Map<string, Map<string, FoundValue>>();
  return (value) => {
    const { type, text, numeric = false } = value;
    // No type has a space.
    const kind = numeric ? `${type} number` : type;
    const texts = byType.get(kind) ?? new Map<string, FoundValue>();
    byType.set(kind, texts);
    const known = texts.get(text);
    if (known === undefined) texts.set(text, value);
    return known ?? value;
  };
}
