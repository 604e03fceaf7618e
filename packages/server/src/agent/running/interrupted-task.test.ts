import { expect, it } from 'vitest';
import { type InterruptedTaskContext, resumeTask } from './interrupted-task.ts';

/** A context in which the owner of a running task is dead, and `next` has taken it over at the second look. */
function takenOverBy(next: 'this process' | 'another one'): InterruptedTaskContext {
  const state = { record: { id: 'task', userId: 'ada' }, status: 'running', executions: [], usage: {} };
  let looks = 0;
  const storage = { lease: async () => ({ isAlive: false, expiresMs: looks < 2 ? 100 : 200 }) };
  const lookup = {
    // The task is queued here soon after the claim.
    find: async () => (++looks > 3 && next === 'this process' ? { state, live: { state } } : { state }),
    present: async (task: unknown) => task,
  };
  const takingOver = new Set(next === 'this process' ? ['task'] : []);
  return { storage, lookup, takingOver, runner: { isClosed: false } } as unknown as InterruptedTaskContext;
}

it('returns a task that this process takes over meanwhile, at one of its beats', async () => {
  const task = await resumeTask('task', 'ada', takenOverBy('this process'));
  expect(task).toMatchObject({ id: 'task', status: 'running' });
});

it('refuses a task that another process takes over meanwhile', async () => {
  await expect(resumeTask('task', 'ada', takenOverBy('another one'))).rejects.toMatchObject({ code: 'TASK_RUNNING' });
});
