import type { Approval } from '../api/types.ts';

/** Open questions, oldest first, and the number of all of them. */
export interface OpenQuestions {
  readonly approvals: readonly Approval[];
  readonly total: number;
  /** More executions wait than the server lists. */
  readonly isPart?: true | undefined;
}

/** Identifies a question as it was shown: one whose arguments have changed is another one. */
export function keyOf({ executionId, call, question, binding }: Approval): string {
  return `${executionId}.${call}.${question ?? 1}.${binding}`;
}

/** Returns the open questions without some of them. */
export function without({ approvals, total, ...more }: OpenQuestions, keys: ReadonlySet<string>): OpenQuestions {
  const rest = approvals.filter((each) => !keys.has(keyOf(each)));
  return { ...more, approvals: rest, total: total - (approvals.length - rest.length) };
}

/** Returns the open questions with some that were removed from an earlier list, at their places. */
export function withAgain(now: OpenQuestions, earlier: OpenQuestions, keys: ReadonlySet<string>): OpenQuestions {
  const shown = new Set(now.approvals.map(keyOf));
  const isEarlier = new Set(earlier.approvals.map(keyOf));
  const kept = earlier.approvals.filter((each) => shown.has(keyOf(each)) || keys.has(keyOf(each)));
  const added = now.approvals.filter((each) => !isEarlier.has(keyOf(each)));
  const approvals = [...kept, ...added];
  return { ...now, approvals, total: now.total + approvals.length - now.approvals.length };
}

/** Returns the number of questions that are new since an earlier list, and the first of them if it is loaded. */
export function newQuestions(
  earlier: OpenQuestions,
  now: OpenQuestions,
): { readonly number: number; readonly first: Approval | undefined } {
  // The latest questions are not loaded, and older ones take the place of decided ones.
  if (now.total > now.approvals.length) return { number: Math.max(0, now.total - earlier.total), first: undefined };
  const known = new Set(earlier.approvals.map(keyOf));
  const fresh = now.approvals.filter((each) => !known.has(keyOf(each)));
  return { number: fresh.length, first: fresh[0] };
}

/** Returns the text of a question that a person searches: its tool, user and arguments. */
export function searchedText({ tool, userId, arguments: args }: Approval): string {
  return `${tool} ${userId} ${JSON.stringify(args) ?? ''}`;
}
