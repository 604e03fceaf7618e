import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TaskUsage } from '../agent/task.ts';
import { taskBegun, taskEnded } from '../diagnostics.ts';
import { boundedLabel } from './bounded.ts';

/** Models that have series of their own: requests may name any. */
export const MAX_MODELS = 50;
const BUCKETS_SECONDS = [0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

/** Counts tasks and what their models used, each when the task has ended. Returns what ends the counting. */
export function watchTasks(registry: Registry): () => void {
  const registers = [registry];
  const running = new Gauge({ name: 'toolwright_tasks_in_progress', help: 'Tasks that run or wait.', registers });
  const ended = new Counter({
    name: 'toolwright_tasks_total',
    help: 'Tasks by how they ended.',
    labelNames: ['status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_task_duration_seconds',
    help: 'From the begin of a task, or its continuation, to its end.',
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
  /** Since when tasks run, and what they had used before: one that is continued has used something. */
  const begun = new Map<string, { readonly sinceMs: number; readonly usage: TaskUsage }>();

  const stops = [
    taskBegun.subscribe(({ id, usage }) => {
      begun.set(id, { sinceMs: performance.now(), usage });
      running.set(begun.size);
    }),
    taskEnded.subscribe(({ id, status, usage, model }) => {
      const start = begun.get(id);
      // One that began before anybody counted is not counted by half.
      if (start === undefined) return;
      begun.delete(id);
      running.set(begun.size);
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
