import { AsyncResource } from 'node:async_hooks';
import { statSync } from 'node:fs';
import { ToolwrightError } from '@toolwright/core';
import { failSpan, inSpan, withLogIds } from '@toolwright/core/internal';
import { fairQueue } from '@toolwright/sandbox/internal';
import { taskBegun, taskEnded } from '../diagnostics.ts';
import { endFromOutside } from './run-task.ts';
import type { EndReason, RunningTask } from './running-task.ts';
import { taskOf } from './state.ts';
import type { Task } from './task.ts';

export interface RunnerOptions {
  /** Tasks that run at once. */
  readonly concurrent: number;
  /** Tasks that wait. */
  readonly queued: number;
  /** Runs one; never rejects. */
  readonly run: (live: RunningTask) => Promise<void>;
}

/** Runs tasks, a few at once; users wait in turns. */
export interface Runner {
  /** The task, as long as it waits or runs here. */
  live(id: string): RunningTask | undefined;
  /** Keeps a place for what `make` hands to `push`. Raises `BUSY` when there is none, `CLOSED` after `close`. */
  reserve(make: (push: (live: RunningTask) => void) => Promise<Task>): Promise<Task>;
  stop(live: RunningTask, reason: EndReason): void;
  /** Interrupts all; resolves when none is left. */
  close(): Promise<void>;
}

/** Makes a runner. */
export function openRunner({ concurrent, queued, run }: RunnerOptions): Runner {
  const tasks = new Map<string, RunningTask>();
  const waiting = fairQueue<RunningTask>();
  /** What runs each: in logs and traces it belongs to who asked for it, not to what made room for it. */
  const starts = new WeakMap<RunningTask, () => Promise<void>>();
  let running = 0;
  const reserved = new Set<Promise<Task>>();
  let isClosed = false;

  const forget = (live: RunningTask) => {
    live.close();
    tasks.delete(live.state.record.id);
    taskEnded.publish(taskOf(live.state));
  };
  const next = () => {
    while (running < concurrent) {
      const live = waiting.shift();
      if (live === undefined) return;
      running++;
      // Another process may have taken it for dead while it waited.
      const begun = isUntouched(live) ? starts.get(live)?.() : undefined;
      void (begun ?? Promise.resolve()).finally(() => {
        running--;
        forget(live);
        next();
      });
    }
  };
  const stop = (live: RunningTask, reason: EndReason) => {
    live.stop(reason);
    if (!waiting.remove(live.state.record.user, live)) return;
    endFromOutside(live, reason);
    forget(live);
  };
  return {
    live: (id) => tasks.get(id),
    async reserve(make) {
      if (isClosed) throw new ToolwrightError('CLOSED', 'The tasks are closed. Make new ones.');
      if (running + waiting.length + reserved.size >= concurrent + queued) {
        const message = `${running} tasks are running and ${waiting.length} wait, which is all there is room for. Try again later.`;
        throw new ToolwrightError('BUSY', message);
      }
      const making = make((live) => {
        const task = live.state.record.id;
        tasks.set(task, live);
        taskBegun.publish(taskOf(live.state));
        starts.set(
          live,
          AsyncResource.bind(() => withLogIds({ task }, () => traced(live, () => run(live)))),
        );
        waiting.push(live.state.record.user, live);
        if (isClosed) stop(live, 'interrupted');
        else next();
      });
      reserved.add(making);
      try {
        return await making;
      } finally {
        reserved.delete(making);
      }
    },
    stop,
    async close() {
      isClosed = true;
      await Promise.allSettled(reserved);
      const all = [...tasks.values()];
      for (const live of all) stop(live, 'interrupted');
      await Promise.all(all.map(({ closed }) => closed));
    },
  };
}

/** Runs a task within a span of the conventions for agents. What was asked and answered is not in it. */
function traced({ state }: RunningTask, run: () => Promise<void>): Promise<void> {
  const { id, session, model } = state.record;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'toolwright',
    'gen_ai.conversation.id': session,
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

function isUntouched(live: RunningTask): boolean {
  try {
    return statSync(live.path).size === live.size();
  } catch {
    return false;
  }
}
