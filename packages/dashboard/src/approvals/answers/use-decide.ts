import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/problem.ts';
import type { Decided } from '../../api/types.ts';
import { useNotice } from '../../parts/notice.tsx';
import { count } from '../../text/format.ts';
import { keyOf, type OpenQuestions, withAgain, without } from '../open-questions.ts';
import type { Choice } from './choice.ts';
import { sendDecision } from './send.ts';
import { pastOf } from './words.ts';

const LISTS = { queryKey: ['approvals'] };

/**
 * Returns a function that decides. The questions leave the list at once, so that the next one can be decided. They come back when the
 * decision fails.
 */
export function useDecide(): (choice: Choice) => void {
  const client = useQueryClient();
  const notice = useNotice();
  const { mutate } = useMutation({
    async onMutate({ items }: Choice): Promise<readonly [QueryKey, OpenQuestions | undefined][]> {
      // An answer under way does not know the decision.
      await client.cancelQueries(LISTS);
      const lists = client.getQueriesData<OpenQuestions>(LISTS);
      const keys = new Set(items.map(keyOf));
      client.setQueriesData<OpenQuestions>(LISTS, (before) => before && without(before, keys));
      return lists;
    },
    mutationFn: sendDecision,
    onSuccess: (answer, { action }) => reportDecided(answer, action, notice),
    onError(thrown, { items }, lists = []) {
      const keys = new Set(items.map(keyOf));
      for (const [key, earlier] of lists)
        client.setQueryData<OpenQuestions>(key, (now) => (now && earlier ? withAgain(now, earlier, keys) : now));
      const { code, message } = Problem.from(thrown);
      notice(failureText(code, message), true);
    },
    onSettled(_answer, _thrown, { items }) {
      for (const id of new Set(items.map(({ executionId }) => executionId))) void reloadDecisions(client, id);
      void client.invalidateQueries({ queryKey: ['lasting-decisions'] });
      return client.invalidateQueries(LISTS);
    },
  });
  return mutate;
}

/** A first request under way is not repeated by an invalidation, and may have been answered before the decision. */
async function reloadDecisions(client: QueryClient, executionId: string): Promise<void> {
  const decisions = { queryKey: ['execution', executionId, 'decisions'] };
  await client.cancelQueries(decisions);
  await client.invalidateQueries(decisions);
}

function reportDecided({ decided, refused }: Decided, action: string, notice: ReturnType<typeof useNotice>): void {
  const [first] = refused;
  if (first) notice(`${count(refused.length)} not decided. ${failureText(first.code, first.detail)}`, true);
  if (decided.length > 0)
    notice(`${count(decided.length)} ${decided.length === 1 ? 'question' : 'questions'} ${pastOf(action)}.`);
}

/** Without an answer, nobody knows whether the server has received the decision. */
function failureText(code: string, detail: string): string {
  if (code !== 'UNREACHABLE') return `${code}: ${detail}`;
  return `${code}: The connection was lost, so the decision may not have arrived. Decide again if the question stays in the queue: the first decision holds, and no call is sent twice.`;
}
