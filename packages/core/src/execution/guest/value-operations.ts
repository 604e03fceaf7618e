import { isOnlyPlaceholder, type ProgramValues, type Redactor } from '@toolwright/pii/internal';
import type { Operation } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';

/** Maximum placeholders of one derivation or comparison. */
const MAX_PLACEHOLDERS = 10_000;

/** Returns the operations that read the values of placeholders on the host. */
export function valueOperations(redactor: Redactor, values: ProgramValues): Readonly<Record<string, Operation>> {
  return {
    async derive(placeholders, derivation) {
      const list = listOf('pii.derive', await values.concealValue(placeholders));
      if (derivation === 'sortKey' && !values.cameTogether(list)) {
        const message =
          'sortKey compares only values that one tool returned together. Call the tool again and pass its placeholders as a list.';
        throw new ToolwrightError('PII_DENIED', message);
      }
      const derived = await redactor.derive(list, derivation);
      return Array.isArray(placeholders) ? derived : derived[0];
    },
    async match(placeholders, condition) {
      const list = listOf('pii.match', await values.concealValue(placeholders));
      const matched = await redactor.match(list, condition);
      return Array.isArray(placeholders) ? matched : matched[0];
    },
    async transform(given, names) {
      const list = listOf('pii.transform', await values.concealValue(given));
      const transformed = JSON.stringify(await redactor.transform(list, Array.isArray(names) ? names : [names]));
      const shown = JSON.parse(await values.reveal(transformed, true)) as unknown[];
      return Array.isArray(given) ? shown : shown[0];
    },
    async order(given, names) {
      const list = listOf('pii.sort', await values.concealValue(given));
      if (!values.cameTogether(list.filter((value) => typeof value === 'string' && isOnlyPlaceholder(value.trim())))) {
        const message =
          'pii.sort compares only values that one tool returned together. Call the tool again and sort its list. To sort by a part, name it: pii.sort(list, "name", "last").';
        throw new ToolwrightError('PII_DENIED', message);
      }
      return redactor.order(list, Array.isArray(names) ? names : []);
    },
    async age(given, on) {
      const ages = await redactor.age(listOf('pii.age', await values.concealValue(given)), on);
      return Array.isArray(given) ? ages : ages[0];
    },
    async equal(a, b, ignoresCase) {
      const [left, right] = listOf('pii.equal', await values.concealValue([a, b]));
      return redactor.equal(left, right, ignoresCase === true);
    },
    compute: computedExpressions(redactor, values),
  };
}

/**
 * Returns the operation of rewritten expressions. It computes an expression for a placeholder, and for the others of the same tool result. So a
 * loop over them needs no further request.
 */
function computedExpressions(redactor: Redactor, values: ProgramValues): Operation {
  /** The placeholders that one expression made together. */
  const made = new Map<string, readonly string[]>();
  const nameOf = (text: unknown) => /^\[([A-Z][A-Z0-9_]*_\d+)\]$/.exec(String(text))?.[1];
  return async (placeholder, _place, kind, ...parameters) => {
    const name = nameOf(await values.concealValue(placeholder));
    if (name === undefined) return {};
    const concealed = (await values.concealValue(parameters)) as unknown[];
    if (kind === 'equal') return { equal: await redactor.equal(placeholder, concealed[0], false).catch(nothing) };
    const together = (made.get(name) ?? values.receivedWith(name)).slice(0, MAX_PLACEHOLDERS);
    // The wanted one comes first.
    const names = [name, ...together.filter((other) => other !== name)];
    const results = await redactor.compute(names, [String(kind), ...concealed]);
    const lists = results.map((result) => (Array.isArray(result) ? result : [result]));
    for (let at = 0; at < Math.max(...lists.map(({ length }) => length)); at++) {
      const others = lists.flatMap((list) => nameOf(list[at]) ?? []);
      for (const other of others) if (!names.includes(other)) made.set(other, others);
    }
    const of = names.filter((_, index) => results[index] !== undefined).map((each) => `[${each}]`);
    const known = results.filter((result) => result !== undefined);
    return JSON.parse(await values.reveal(JSON.stringify({ results: known, of }), true));
  };
}

/** A comparison that the host refuses. */
function nothing(error: unknown): null {
  if ((error as Partial<ToolwrightError>).code === 'PII_DENIED') return null;
  throw error;
}

function listOf(name: string, values: unknown): unknown[] {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  if (list.length <= MAX_PLACEHOLDERS) return list;
  const message = `${name} takes at most ${MAX_PLACEHOLDERS} values at once, got ${list.length}.`;
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}
