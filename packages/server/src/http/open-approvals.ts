import type { Executions, ListedExecution, PendingQuestion } from '@toolwright/core';
import type { Subjects } from './user.ts';

/** An open question with its execution. */
export type OpenApproval = PendingQuestion & {
  readonly executionId: string;
} & Pick<ListedExecution, 'userId' | 'sessionId' | 'language' | 'preview'>;

export interface ApprovalQuery {
  readonly subjects: Subjects;
  readonly shown: 'redacted' | 'real';
  readonly tool?: string | undefined;
  readonly kind?: PendingQuestion['kind'] | undefined;
  readonly executionId?: string | undefined;
  /** Words of the program. */
  readonly q?: string | undefined;
}

/** The most executions whose questions are read. */
const MAX_EXECUTIONS = 1_000;
const PAGE = 200;
/** Journals that are read at once. */
const AT_ONCE = 16;

/** Returns the open questions of executions, oldest first. */
export async function findApprovals(
  executions: Pick<Executions, 'find' | 'questions'>,
  { subjects, shown, tool, kind, executionId, q }: ApprovalQuery,
): Promise<OpenApproval[]> {
  const waiting: ListedExecution[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...subjects, hasQuestions: true, limit: PAGE, text: q, cursor };
    const page = await executions.find(query);
    waiting.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor !== undefined && waiting.length < MAX_EXECUTIONS);
  const wanted = executionId === undefined ? waiting : waiting.filter(({ id }) => id === executionId);
  const found: OpenApproval[] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const parts = wanted.slice(at, at + AT_ONCE).map((execution) => questionsOf(executions, execution, shown));
    found.push(...(await Promise.all(parts)).flat());
  }
  return found
    .filter(
      (question) => (tool === undefined || question.tool === tool) && (kind === undefined || question.kind === kind),
    )
    .sort((a, b) => (a.askedAt ?? '').localeCompare(b.askedAt ?? '') || a.call - b.call);
}

/** Returns the open questions of one execution. It may have ended since: then there are none. */
export async function questionsOf(
  executions: Pick<Executions, 'questions'>,
  { id, userId, sessionId, language, preview }: ListedExecution,
  shown: 'redacted' | 'real',
): Promise<OpenApproval[]> {
  const open = await executions.questions(id, userId, { arguments: shown }).catch(() => []);
  const execution = { executionId: id, userId, language, preview, ...(sessionId === undefined ? {} : { sessionId }) };
  return open.map((question) => ({ ...execution, ...question }));
}
