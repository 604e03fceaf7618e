/**
 * Whether a condition holds: yes, no, or `undefined` for undecided. A condition on a missing argument, or on one of another
 * type, is undecided. A rule that allows needs `true`; a rule that asks or denies applies unless it is `false`. So a
 * missing or strange argument never opens a call.
 */
export type Verdict = boolean | undefined;

/** One evaluation of conditions. */
export interface Evaluation {
  /** Values and characters that may still be read. A condition that needs more is `undefined`. */
  left: number;
  /** The path of the first condition that did not hold. */
  failed: string | undefined;
}

/** Tests a value. A missing value is `undefined`, which JSON does not have. */
export type Test = (value: unknown, run: Evaluation) => Verdict;

/** Values and characters that one decision reads. */
const MAX_COST = 100_000;

/** Starts an evaluation. */
export function startEvaluation(): Evaluation {
  return { left: MAX_COST, failed: undefined };
}

/** Returns a test that reads as much as `cost` states, and notes its path if it does not hold. */
export function measured(path: string, test: Test, cost?: (value: unknown) => number): Test {
  return (value, run) => {
    run.left -= cost === undefined ? 1 : cost(value);
    const verdict = run.left < 0 ? undefined : test(value, run);
    if (verdict !== true) run.failed ??= path;
    return verdict;
  };
}

/** Returns a test that notes no paths: a part of it may fail although the whole holds. */
export function silent(test: Test): Test {
  return (value, run) => {
    const inner: Evaluation = { left: run.left, failed: undefined };
    const verdict = test(value, inner);
    run.left = inner.left;
    return verdict;
  };
}

/** Returns a test that combines tests of the same value like {@link every}. */
export function all(tests: readonly Test[]): Test {
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return (value, run) => {
    let verdict: Verdict = true;
    for (const test of tests) {
      const part = test(value, run);
      if (part === false) return false;
      if (part === undefined) verdict = undefined;
    }
    return verdict;
  };
}

/** Returns `false` if a part is `false`, else `undefined` if a part is `undefined`, else `true`. */
export function every<T>(parts: readonly T[], verdictOf: (part: T) => Verdict): Verdict {
  let all: Verdict = true;
  for (const part of parts) {
    const verdict = verdictOf(part);
    if (verdict === false) return false;
    if (verdict === undefined) all = undefined;
  }
  return all;
}

/** Returns `true` if a part is `true`, else `undefined` if a part is `undefined`, else `false`. */
export function some<T>(parts: readonly T[], verdictOf: (part: T) => Verdict): Verdict {
  return not(every(parts, (part) => not(verdictOf(part))));
}

/** Returns `true` if exactly one part is `true` and all others are `false`. */
export function exactlyOne<T>(parts: readonly T[], verdictOf: (part: T) => Verdict): Verdict {
  const verdicts = parts.map(verdictOf);
  const yes = verdicts.filter((verdict) => verdict === true).length;
  if (yes > 1) return false;
  return verdicts.includes(undefined) ? undefined : yes === 1;
}

/** Returns the opposite. The opposite of undecided is undecided. */
export function not(verdict: Verdict): Verdict {
  return verdict === undefined ? undefined : !verdict;
}

/** Returns a test that is undecided about values of other types. */
export function when<T>(is: (value: unknown) => value is T, test: (value: T, run: Evaluation) => Verdict): Test {
  return (value, run) => (is(value) ? test(value, run) : undefined);
}

/** Returns a test that is undecided about a missing value. */
export function present(test: (value: unknown) => Verdict): Test {
  return (value) => (value === undefined ? undefined : test(value));
}
