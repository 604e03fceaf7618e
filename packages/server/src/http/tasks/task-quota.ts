import type { Task, Tasks, TaskUsage } from '../../agent/task.ts';
import type { Principal } from '../../principal.ts';
import type { RouteOptions } from '../api.ts';

/** Starts or resumes a task within the quotas of its principal. `usedBefore` tokens are not charged again. */
export type StartWithinQuota = (principal: Principal, usedBefore: number, start: () => Promise<Task>) => Promise<Task>;

/**
 * Creates the function that starts tasks within quotas. It charges the tokens of a task when the task has ended, and
 * keeps the server open until then. Raises `QUOTA_EXCEEDED` and `STORE_UNAVAILABLE`.
 */
export function quotaStarter({ admission, limiter, logger }: RouteOptions, tasks: () => Tasks): StartWithinQuota {
  return async (principal, usedBefore, start) => {
    await limiter.checkTokens(principal);
    const leave = limiter.enter('concurrentTasks', principal);
    try {
      const begun = await start();
      const charge = async () => {
        const { usage } = await tasks().ended(begun.id, { userId: begun.userId });
        await limiter.chargeTokens(principal, tokensOf(usage) - usedBefore);
      };
      admission.track(
        charge()
          .catch((error: unknown) =>
            logger.error({ taskId: begun.id, err: error }, 'the tokens of a task were not charged'),
          )
          .finally(leave),
      );
      return begun;
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Returns the tokens of a task, input and output together. */
export function tokensOf({ inputTokens, outputTokens }: TaskUsage): number {
  return inputTokens + outputTokens;
}
