// Expressions of a program on dates of birth that are placeholders.

/**
 * Creates the functions of rewritten expressions with dates.
 * @param {import('./answers.js').Answers} answers
 */
export function createDates({ typeOf, compute, difference }) {
  /** The expression of the host for a date of birth; undefined for other values. */
  const born = (
    /** @type {any} */ value,
    /** @type {string} */ place,
    /** @type {[string, ...unknown[]]} */ ...expression
  ) => {
    const answer = typeOf(value) === 'DATE_OF_BIRTH' ? compute(value, place)(...expression) : null;
    return answer === null ? undefined : Number(answer);
  };
  /** How a date differs from a time, of which only the sign counts. */
  const since = (/** @type {any} */ value, /** @type {any} */ time, /** @type {string} */ place) => {
    const at = new Date(Number(time));
    const isTime = !Number.isNaN(Number(at));
    return (
      (isTime ? born(value, place, 'since', at.toISOString()) : undefined) ?? Number(new Date(value)) - Number(time)
    );
  };

  return {
    since,
    until: (/** @type {any} */ time, /** @type {any} */ value, /** @type {string} */ place) =>
      -since(value, time, place),
    /** `new Date(value).getFullYear()` */
    year: (
      /** @type {any} */ value,
      /** @type {'getFullYear' | 'getUTCFullYear'} */ method,
      /** @type {string} */ place,
    ) => born(value, place, 'fact', 'year', 4) ?? new Date(value)[method](),
    /** `new Date(left) - new Date(right)`, of which only the sign counts. */
    dates(/** @type {any} */ left, /** @type {any} */ right, /** @type {string} */ place) {
      const [isLeft, isRight] = [left, right].map((value) => typeOf(value) === 'DATE_OF_BIRTH');
      if (isLeft && isRight) return difference(left, right, place, 'dates') ?? Number.NaN;
      if (isLeft) return since(left, new Date(right), place);
      return isRight ? -since(right, new Date(left), place) : Number(new Date(left)) - Number(new Date(right));
    },
    /** `Math.floor((time - new Date(value)) / span)` */
    spans: (/** @type {any} */ time, /** @type {any} */ value, /** @type {any} */ span, /** @type {string} */ place) =>
      born(value, place, 'spans', Number(time), Number(span)) ?? Math.floor((time - Number(new Date(value))) / span),
  };
}
