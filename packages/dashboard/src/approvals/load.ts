import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type ExecutionSummary, type Question } from '../api/client.ts';

/** An open question with its execution. */
export interface OpenQuestion {
  readonly execution: ExecutionSummary;
  readonly question: Question;
}

const MAX_WAITING = 100;

/** The query of all open questions, oldest first. */
export function approvalsQuery() {
  return queryOptions({
    queryKey: ['approvals'],
    queryFn: async ({ signal }): Promise<readonly OpenQuestion[]> => {
      const query = { status: 'suspended', limit: MAX_WAITING } as const;
      const { executions } = await dataOf(api.GET('/executions', { params: { query }, signal }));
      const waiting = executions.filter(({ waitingFor }) => waitingFor?.some((kind) => kind !== 'timer'));
      const questions = await Promise.all(
        waiting.map(async (execution) => {
          const path = { id: execution.executionId };
          const found = await dataOf(api.GET('/executions/{id}/questions', { params: { path }, signal }));
          return found.questions.map((question) => ({ execution, question }));
        }),
      );
      return questions.flat().sort((a, b) => (a.execution.startedAt < b.execution.startedAt ? -1 : 1));
    },
  });
}
