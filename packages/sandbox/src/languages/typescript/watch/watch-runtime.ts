/** The placeholders whose uses a watched program reports, and how. Plain data, which crosses into the guest. */
export interface WatchedNames {
  /** The beginning of a reported log line. It is random, so that no program writes it by chance. */
  readonly marker: string;
  /** The names of the placeholders: `SSN_1`. */
  readonly names: readonly string[];
  /** Those whose value has several spellings: two equal placeholders may stand for different texts. */
  readonly spelled: readonly string[];
  /** Those whose value was a JSON number: a type or a sum depends on it. */
  readonly numeric: readonly string[];
}

/**
 * Creates the functions that a watched program calls around its operands. Each returns the operand unchanged. The source
 * of this function becomes a part of the program: it uses nothing from outside but the functions of rewritten expressions.
 */
export function watchRuntime({ marker, names, spelled, numeric }: WatchedNames) {
  const known = new Set(names);
  const [severalSpellings, numbers] = [new Set(spelled), new Set(numeric)];
  const mixed = new WeakMap<object, { size: number; isMixed: boolean; isWatched: boolean }>();
  let last = { isMixed: false, isWatched: false };

  const nameOf = (value: unknown) => {
    const name = typeof value === 'string' ? /^\s*\[([A-Z][A-Z0-9_]*_\d+)\]\s*$/.exec(value)?.[1] : undefined;
    return name !== undefined && known.has(name) ? name : undefined;
  };
  const isKnown = (value: unknown) => nameOf(value) !== undefined;
  const has = (list: unknown, isMeant: (item: unknown) => boolean) => Array.isArray(list) && list.some(isMeant);
  const isInside = (value: unknown) =>
    typeof value === 'string' &&
    [...value.matchAll(/\[([A-Z][A-Z0-9_]*_\d+)\]/g)].some(([, name = '']) => known.has(name));
  const report = (place: string) => console.log(marker + place);
  const isText = (value: unknown) => /^(?:string|number|bigint)$/.test(typeof value);
  /** Whether a collection has placeholders that are watched, and whether it has other texts. */
  const kindOf = (list: unknown) => {
    if (typeof list !== 'object' || list === null) return { isMixed: false, isWatched: false };
    const keys = list instanceof Set || list instanceof Map ? [...list.keys()] : [];
    const texts: readonly unknown[] = Array.isArray(list) ? list : keys;
    const before = mixed.get(list);
    if (before?.size === texts.length) return before;
    const isWatched = texts.some(isKnown);
    const isMixed = texts.some((each) => isText(each) && !isKnown(each));
    mixed.set(list, { size: texts.length, isMixed, isWatched });
    return { isMixed, isWatched };
  };
  /** A text or number that may be a value: values have digits. */
  const mayBeValue = (value: unknown) => isText(value) && !isKnown(value) && /\d{3}/.test(String(value));
  const same = (value: unknown) => severalSpellings.has(nameOf(value) ?? '');
  const reported =
    (isReported: (value: unknown) => boolean) =>
    <Value>(value: Value, place: string): Value => {
      if (isReported(value)) report(place);
      return value;
    };
  const read = reported(isKnown);
  return {
    /** A text whose content an operation reads. */
    read,
    /** A text that an operation searches for something that a value may contain. */
    searched: reported(isInside),
    /** A list or its text that an operation reads: sorting, or the characters of a text. */
    all: reported((value) => isKnown(value) || has(value, isKnown)),
    /** The items of a collection of distinct values. */
    items: reported((value) => isKnown(value) || has(value, (each) => same(Array.isArray(each) ? each[0] : each))),
    /** A collection in which the next key is looked up. */
    collection<Value>(value: Value, place: string): Value {
      last = kindOf(value);
      return read(value, place);
    },
    /** The same, if the key has digits: a text may contain it. */
    searchedCollection<Value>(value: Value, place: string): Value {
      last = kindOf(value);
      if (isInside(value)) report(place);
      return value;
    },
    /** A key that is compared with the keys of a collection. */
    key: reported((value) => same(value) || (isKnown(value) ? last.isMixed : last.isWatched && mayBeValue(value))),
    /** A name of a member. */
    member: reported(same),
    /** A value whose type an operation depends on, such as a sum. */
    typed: reported((value) => numbers.has(nameOf(value) ?? '')),
    /** Two operands of a comparison for equality; without an operator, of a rewritten one. */
    equal(left: unknown, right: unknown, operator: string, place: string): boolean {
      const pair = [nameOf(left), nameOf(right)];
      const other = pair[0] === undefined ? left : right;
      const isPlain = other === null || other === undefined || other === '' || typeof other === 'boolean';
      const hasBoth = pair[0] !== undefined && pair[1] !== undefined;
      if (hasBoth ? same(left) || same(right) : pair.some((name) => name !== undefined) && !isPlain) report(place);
      if (operator === '') return Reflect.get(globalThis, '__toolwright_values').equal(left, right, place);
      if (operator === '===') return left === right;
      if (operator === '!==') return left !== right;
      // biome-ignore lint/suspicious/noDoubleEquals: the operator of the program
      return operator === '==' ? left == right : left != right;
    },
  };
}
