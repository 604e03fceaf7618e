import { randomUUID } from 'node:crypto';
import {
  type ExecuteOptions,
  type ExecutionResult,
  type Executions,
  type Logger,
  type Toolwright,
  ToolwrightError,
} from '@toolwright/core';
import { DEFAULT_USER, PRIORITIES } from '@toolwright/core/internal';
import type { Bus } from '@toolwright/storage/internal';
import { BACKGROUND_PRIORITY, type WorkQueue } from '../queue/queue.ts';
import { type Caller, createCaller } from './caller.ts';
import { openChannel } from './channel.ts';
import { dispatchedExecutions } from './dispatched-executions.ts';
import type { Dispatcher } from './dispatchers/dispatcher.ts';
import { createFollower } from './follower.ts';
import { separateListeners } from './listeners.ts';

export interface DispatchedOptions {
  readonly queue: WorkQueue;
  readonly dispatcher: Pick<Dispatcher, 'notify'>;
  readonly bus: Bus;
  readonly logger: Pick<Logger, 'error'>;
}

const EXECUTION_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Returns a Toolwright whose programs run on the workers of a cluster. `execute`, `executions.resume`, `fork`, `replay` and `saveExecution`
 * submit work and wait for its end: errors keep their codes. All other methods work in this process. `onStart` is called when the row of
 * the work is stored, and `beforeCall` once, before it. Logs, progress and calls may be lost while Redis is away; the result has all logs.
 * An aborted signal cancels the work, wherever it is. `close` leaves work to the workers: its callers get `CLOSED`.
 */
export function dispatched(toolwright: Toolwright, options: DispatchedOptions): Toolwright {
  const { queue, dispatcher, bus, logger } = options;
  const channel = openChannel(bus);
  const follower = createFollower(queue, channel);
  // The caller decides by these executions, which wake the work.
  const caller: Caller = createCaller({
    queue,
    dispatcher,
    channel,
    follower,
    logger,
    executions: {
      questions: (...args) => executions.questions(...args),
      decide: (...args) => executions.decide(...args),
    },
  });
  const executions: Executions = dispatchedExecutions(toolwright.executions, { queue, dispatcher, caller });
  const close = async (ending?: Parameters<Toolwright['close']>[0]) => {
    follower[Symbol.dispose]();
    channel[Symbol.dispose]();
    await toolwright.close(ending);
  };
  return {
    ...toolwright,
    executions,
    execute: <T>(source: string, given: ExecuteOptions = {}) => executeRemotely<T>(caller, source, given),
    skills: (userId = DEFAULT_USER) => ({
      ...toolwright.skills(userId),
      saveExecution: (of, draft) =>
        caller.run({ id: randomUUID(), user: userId, method: { run: 'save', of: String(of), draft } }),
    }),
    sandbox: async () => ({
      name: 'workers',
      isolation: 'that of the workers',
      reason: 'This process runs no programs: the workers of the cluster do.',
    }),
    health: (wanted = {}) => toolwright.health({ ...wanted, without: [...(wanted.without ?? []), 'sandbox'] }),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

async function executeRemotely<T>(caller: Caller, source: string, given: ExecuteOptions): Promise<ExecutionResult<T>> {
  const { executionId: id = randomUUID(), priority: wanted, ...options } = given;
  if (typeof source !== 'string') throw new ToolwrightError('CONFIG_INVALID', 'execute takes a program as text.');
  if (!EXECUTION_ID.test(id)) {
    throw new ToolwrightError('CONFIG_INVALID', 'execute: executionId must be a UUID in lower case, or absent.');
  }
  if (wanted !== undefined && !PRIORITIES.includes(wanted)) {
    throw new ToolwrightError('CONFIG_INVALID', `execute: priority must be ${PRIORITIES.join(' or ')}, or absent.`);
  }
  const { listeners, data } = separateListeners(options);
  const { sessionId: session, userId: user = DEFAULT_USER } = options;
  const priority = wanted === 'background' ? BACKGROUND_PRIORITY : 0;
  return caller.run(
    { id, user, session, priority, method: { run: 'execute', code: source, options: data } },
    listeners,
  );
}
