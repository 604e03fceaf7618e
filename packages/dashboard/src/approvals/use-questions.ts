import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Scope } from '../api/session.ts';
import { approvalsQuery, type ShownQuestions } from './load.ts';
import type { OpenQuestions } from './open-questions.ts';

/** Returns the open questions. While more of them or real values are loaded, those of before are shown. */
export function useQuestions(scope: Scope, shown: ShownQuestions): UseQueryResult<OpenQuestions> {
  const options = approvalsQuery(scope, shown);
  const [, selection, values] = options.queryKey;
  return useQuery({
    ...options,
    placeholderData: (before, query) => {
      const [, selectionBefore, valuesBefore] = query?.queryKey ?? [];
      const isSame = JSON.stringify(selectionBefore) === JSON.stringify(selection);
      // Real values disappear at once.
      return isSame && (valuesBefore === 'redacted' || valuesBefore === values) ? before : undefined;
    },
  });
}
