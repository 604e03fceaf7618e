import { AsyncResource } from 'node:async_hooks';
import { failSpan, inSpan } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core';
import { withLogIds } from '@toolwright/core/internal';
import { taskBegun, taskEnded } from '../../diagnostics.ts';
import { taskOf } from '../state.ts';
import type { Task } from '../task.ts';
import { endFromOutside } from './run-task.ts';
import type { RunningTask } from './running-task.ts';
import { createTurns } from './turns.ts';

export interface RunnerOptions {
  /** Tasks that run at once. */
  readonly concurrent: number;
  /** Tasks that wait. */
  readonly queued: number;
  /** Runs one; never rejects. */
  readonly run: (live: RunningTask) => Promise<void>;
}

/** Runs tasks up to a limit. Users share it like the workers of a cluster. */
export interface Runner {
  /** Returns the task while it waits or runs in this process. */
  live(id: string): RunningTask | undefined;
  /** Reserves a place for the task that `make` passes to `push`. Raises `BUSY` over the limits, `CLOSED` after `close`. */
  reserve(make: (push: (live: RunningTask) => Promise<void>) => Promise<Task>): Promise<Task>;
  /** Runs a task at once, also over the limits. Resolves when it has ended or is interrupted. */
  run(live: RunningTask): Promise<void>;
  /** Whether `close` was called. */
  readonly isClosed: boolean;
  /** Interrupts all tasks. Resolves when none is left. */
  close(): Promise<void>;
}

/** Creates a runner. */
export function openRunner({ concurrent, queued, run }: RunnerOptions): Runner {
  const tasks = new Map<string, RunningTask>();
  const reserved = new Set<Promise<Task>>();
  let isClosed = false;

  const add = (live: RunningTask) => {
    const task = live.state.record.id;
    tasks.set(task, live);
    taskBegun.publish(taskOf(live.state));
    return AsyncResource.bind(() => withLogIds({ taskId: task }, () => traced(live, () => run(live))));
  };
  const forget = async (live: RunningTask) => {
    await live.close();
    tasks.delete(live.state.record.id);
    taskEnded.publish(taskOf(live.state));
  };
  const places = openPlaces(concurrent, forget);
  return {
    live: (id) => tasks.get(id),
    async reserve(make) {
      if (isClosed) throw closed();
      const { running, waiting } = places;
      if (running + waiting + reserved.size >= concurrent + queued) {
        const message = `${running} tasks are running and ${waiting} are waiting, the limits are ${concurrent} and ${queued}. Try again later.`;
        throw new ToolwrightError('BUSY', message);
      }
      const making = make((live) => {
        reserved.delete(making);
        const pushed = places.push(live, add(live));
        if (isClosed) live.stop('interrupted');
        return pushed;
      });
      reserved.add(making);
      try {
        return await making;
      } finally {
        reserved.delete(making);
      }
    },
    async run(live) {
      const start = add(live);
      if (isClosed) live.stop('interrupted');
      await start();
      await forget(live);
    },
    get isClosed() {
      return isClosed;
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(reserved);
      const all = [...tasks.values()];
      for (const live of all) live.stop('interrupted');
      await Promise.all(all.map(({ closed }) => closed));
      await places.close();
    },
  };
}

/** Runs tasks when it is their turn. `forget` is called after each. */
function openPlaces(concurrent: number, forget: (live: RunningTask) => Promise<void>) {
  const turns = createTurns();
  const waiting = new Map<string, { readonly live: RunningTask; readonly start: () => Promise<void> }>();
  let running = 0;
  const next = async () => {
    for (const id of await turns.take(concurrent)) void begin(id);
  };
  const begin = async (id: string) => {
    const own = waiting.get(id);
    // It was stopped meanwhile.
    if (!own || !waiting.delete(id)) return;
    running++;
    await own.start();
    running--;
    await leave(own.live);
  };
  const leave = async (live: RunningTask) => {
    await turns.end(live.state.record);
    await forget(live);
    await next();
  };
  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting.size;
    },
    /** Lets a task wait for its turn. `start` runs it in the async context of its request: its logs and traces belong to that request. */
    async push(live: RunningTask, start: () => Promise<void>): Promise<void> {
      const { record } = live.state;
      waiting.set(record.id, { live, start });
      const adding = turns.add(record);
      const stop = () => {
        if (waiting.get(record.id)?.live !== live) return;
        waiting.delete(record.id);
        endFromOutside(live, live.signal.reason);
        void leave(live);
      };
      live.signal.addEventListener('abort', stop, { once: true });
      if (live.signal.aborted) stop();
      await adding;
      await next();
    },
    close: () => turns[Symbol.asyncDispose](),
  };
}

/** Returns the error of a call after the end of the tasks. */
export function closed(): ToolwrightError {
  return new ToolwrightError('CLOSED', 'The tasks are closed. Call createTasks again.');
}

/** Runs a task within an OpenTelemetry span for agents. The span has neither request nor answer. */
function traced({ state }: RunningTask, run: () => Promise<void>): Promise<void> {
  const { id, sessionId, model } = state.record;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'toolwright',
    'gen_ai.conversation.id': sessionId,
    'gen_ai.request.model': model,
    'toolwright.task.id': id,
  };
  return inSpan('invoke_agent toolwright', { attributes }, async (span) => {
    await run();
    const { status, error, limit, usage } = taskOf(state);
    span.setAttributes({
      'toolwright.task.status': status,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    });
    if (status !== 'completed') failSpan(span, error?.code ?? limit ?? status);
  });
}
