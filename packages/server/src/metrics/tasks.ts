import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TaskUsage } from '../agent/task.ts';
import { taskBegun, taskEnded } from '../diagnostics.ts';
import { boundedLabel } from './bounded.ts';

/** Models with a series of their own. Requests may name any model, so the number is limited. */
export const MAX_MODELS = 50;
const BUCKETS_SECONDS = [0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

/** Counts tasks, and the tokens and costs of their models, when a task ends. Returns a function that stops the counting. */
export function watchTasks(registry: Registry): () => void {
  const registers = [registry];
  const running = new Gauge({ name: 'toolwright_tasks_in_progress', help: 'Tasks that run or wait.', registers });
  const ended = new Counter({
    name: 'toolwright_tasks_total',
    help: 'Ended tasks, by status.',
    labelNames: ['status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_task_duration_seconds',
    help: 'Time from the start or resumption of a task to its end.',
    labelNames: ['status'] as const,
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'toolwright_model_tokens_total',
    help: `Tokens that models read (input) and wrote (output), by model (the first ${MAX_MODELS}).`,
    labelNames: ['model', 'direction'] as const,
    registers,
  });
  const cost = new Counter({
    name: 'toolwright_model_cost_dollars_total',
    help: `US dollars that models cost, where their price is known, by model (the first ${MAX_MODELS}).`,
    labelNames: ['model'] as const,
    registers,
  });
  const modelLabel = boundedLabel(MAX_MODELS);
  /** The start of each running task, and its usage before. A resumed task has usage from before. */
  const started = new Map<string, { readonly sinceMs: number; readonly usage: TaskUsage }>();

  const stops = [
    taskBegun.subscribe(({ id, usage }) => {
      started.set(id, { sinceMs: performance.now(), usage });
      running.set(started.size);
    }),
    taskEnded.subscribe(({ id, status, usage, model }) => {
      const start = started.get(id);
      // A task that started before the counting is not counted.
      if (start === undefined) return;
      started.delete(id);
      running.set(started.size);
      ended.inc({ status });
      duration.observe({ status }, (performance.now() - start.sinceMs) / 1000);
      const label = modelLabel(model);
      tokens.inc({ model: label, direction: 'input' }, more(usage.inputTokens, start.usage.inputTokens));
      tokens.inc({ model: label, direction: 'output' }, more(usage.outputTokens, start.usage.outputTokens));
      if (usage.costUsd !== undefined) cost.inc({ model: label }, more(usage.costUsd, start.usage.costUsd ?? 0));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function more(now: number, before: number): number {
  return Math.max(0, now - before);
}
