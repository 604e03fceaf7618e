/** Different conditions that one value may be compared with. Each answer reveals at most one bit of the value. */
export const MAX_CONDITIONS = 20;
/**
 * The limit of the checks of programs for one value, in tenths of a bit: 20 warnings, or fewer and some checks without one. A check
 * without a warning is the usual case, so it reveals little. A warning is rare: it reveals log2(1 / 6 %) bits. With these prices, no
 * series of checks reveals more than the budget.
 */
const MAX_CHECKED = 800;
const IDENTICAL = 1;
const DIFFERENT = 40;

/** Counts the bits that answers reveal about each value of a session. */
export interface AnswerBudget {
  /** Returns whether a value may be compared with a condition. A condition that it answered before reveals nothing. */
  mayCompare(name: string, condition: string): boolean;
  compared(name: string, condition: string): void;
  /** Returns whether a program with this value may be checked with it. */
  mayCheck(name: string): boolean;
  checked(name: string, isDifferent: boolean): void;
}

/** Creates the budget of a session. */
export function createAnswerBudget(): AnswerBudget {
  const conditions = new Map<string, Set<string>>();
  const spent = new Map<string, number>();
  return {
    mayCompare(name, condition) {
      const before = conditions.get(name);
      return before === undefined || before.size < MAX_CONDITIONS || before.has(condition);
    },
    compared(name, condition) {
      conditions.set(name, (conditions.get(name) ?? new Set()).add(condition));
    },
    mayCheck: (name) => (spent.get(name) ?? 0) <= MAX_CHECKED - DIFFERENT,
    checked(name, isDifferent) {
      spent.set(name, (spent.get(name) ?? 0) + (isDifferent ? DIFFERENT : IDENTICAL));
    },
  };
}
