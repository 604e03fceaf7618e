import { Problem } from '../../api/problem.ts';
import type { Approval, Decided } from '../../api/types.ts';

/** Sends a decision about more questions than one request may have. A failed part does not keep the others from being sent. */
export async function sendInParts(
  items: readonly Approval[],
  size: number,
  send: (part: readonly Approval[]) => Promise<Decided>,
): Promise<Decided> {
  const answers: Decided[] = [];
  for (let at = 0; at < items.length; at += size) {
    const part = items.slice(at, at + size);
    const failed = (thrown: unknown): Decided => {
      const { code, message: detail } = Problem.from(thrown);
      return { decided: [], refused: part.map(({ executionId, call }) => ({ executionId, call, code, detail })) };
    };
    answers.push(await send(part).catch(failed));
  }
  return {
    decided: answers.flatMap(({ decided }) => decided),
    refused: answers.flatMap(({ refused }) => refused),
  };
}
