import type { Executions, ListedExecution, PendingQuestion } from '@toolwright/core';
import type { Subjects } from '../user.ts';

/** An open question with its execution. */
export interface OpenApproval extends PendingQuestion {
  readonly executionId: string;
  readonly userId: string;
  readonly sessionId?: string | undefined;
  readonly language: string;
  readonly preview: ListedExecution['preview'];
}

export interface ApprovalQuery {
  readonly subjects: Subjects;
  readonly shown: 'redacted' | 'real';
  readonly tool?: string | undefined;
  readonly kind?: PendingQuestion['kind'] | undefined;
  readonly executionId?: string | undefined;
  /** Words of the program. */
  readonly q?: string | undefined;
}

/** Open questions, oldest first. */
export interface FoundApprovals {
  readonly questions: readonly OpenApproval[];
  /** Whether more executions wait than were read. Theirs are the latest starts. */
  readonly isPart: boolean;
}

/** The most executions whose questions are read. */
export const MAX_EXECUTIONS = 1_000;
/** Journals that are read at once. */
const AT_ONCE = 16;
/** Digits of the number of a call in a cursor. */
const CALL_DIGITS = 9;

/** Returns the open questions of executions, oldest first: of the first started ones, if more than {@link MAX_EXECUTIONS} wait. */
export async function findApprovals(
  executions: Executions,
  { subjects, shown, tool, kind, executionId: id, q: text }: ApprovalQuery,
): Promise<FoundApprovals> {
  let waiting: ListedExecution[] = [];
  let isPart = false;
  for await (const executionsOfPart of executions.scan({ ...subjects, id, text, hasQuestions: true })) {
    waiting.push(...executionsOfPart);
    isPart ||= waiting.length > MAX_EXECUTIONS;
    waiting = waiting.slice(-MAX_EXECUTIONS);
  }
  const found: OpenApproval[] = [];
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    const parts = waiting.slice(at, at + AT_ONCE).map((execution) => questionsOf(executions, execution, shown));
    found.push(...(await Promise.all(parts)).flat());
  }
  const questions = found
    .filter((asked) => (tool === undefined || asked.tool === tool) && (kind === undefined || asked.kind === kind))
    .sort((a, b) => (cursorOf(a) < cursorOf(b) ? -1 : 1));
  return { questions, isPart };
}

/** Returns the place of a question in the queue, which a page begins after. A call has one open question. */
export function cursorOf({ askedAt = '', executionId, call }: OpenApproval): string {
  return `${askedAt}_${executionId}_${`${call}`.padStart(CALL_DIGITS, '0')}`;
}

/** Returns the open questions of one execution. It may have ended since: then there are none. */
export async function questionsOf(
  executions: Executions,
  { id, userId, sessionId, language, preview }: ListedExecution,
  shown: 'redacted' | 'real',
): Promise<OpenApproval[]> {
  const open = await executions.questions(id, userId, { arguments: shown }).catch(() => []);
  const execution = { executionId: id, userId, language, preview, sessionId };
  return open.map((question) => ({ ...execution, ...question }));
}
