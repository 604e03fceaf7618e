import type { ExecutionResult } from '@toolwright/core';
import { type ExecutionEnded, executionBegun, executionEnded } from '@toolwright/core/internal';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { boundedLabel } from './bounded.ts';

/** Tools with a series of their own. Further tools are counted as `other`. */
export const MAX_TOOLS = 200;
/** The label of calls of unknown tools: a guest may invent any number of names. */
const UNKNOWN_TOOL = 'unknown';
const NO_TOOL: ReadonlySet<string | undefined> = new Set(['UNKNOWN_TOOL', 'UNKNOWN_SERVER']);

/** Buckets from a fast tool call to the longest usual execution. */
const DURATION_BUCKETS_SECONDS: number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];
/** Bytes of JSON per token, on average. */
const BYTES_PER_TOKEN = 4;
const PLACE_LABELS = ['sandbox', 'language'] as const;

/** Counts executions and their tool calls when an execution ends. Returns a function that stops the counting. */
export function watchExecutions(registry: Registry): () => void {
  const registers = [registry];
  const running = new Gauge({
    name: 'toolwright_executions_in_progress',
    help: 'Executions that run or wait for a sandbox.',
    labelNames: PLACE_LABELS,
    registers,
  });
  const ended = new Counter({
    name: 'toolwright_executions_total',
    help: 'Executions by outcome: completed, failed, refused, or the limit that stopped them.',
    labelNames: [...PLACE_LABELS, 'outcome'] as const,
    registers,
  });
  const errors = new Counter({
    name: 'toolwright_execution_errors_total',
    help: 'Errors that executions failed with, by kind and code.',
    labelNames: ['kind', 'code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_execution_duration_seconds',
    help: 'Time from source to result, waiting included.',
    labelNames: PLACE_LABELS,
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const countCalls = callCounter(registry);
  const countTokens = tokenCounter(registry);
  const stops = [
    executionBegun.subscribe(({ sandbox, language }) => running.inc({ sandbox, language })),
    executionEnded.subscribe((execution) => {
      const { sandbox, language, result } = execution;
      running.dec({ sandbox, language });
      ended.inc({ sandbox, language, outcome: outcomeOf(execution) });
      if (result === undefined) return;
      duration.observe({ sandbox, language }, result.stats.totalMs / 1000);
      if (result.status === 'failed') errors.inc({ kind: result.error.kind, code: result.error.code });
      // Its calls count when it has ended.
      if (result.status === 'suspended') return;
      countCalls(result);
      countTokens(result);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Registers the metrics of tool calls. Returns a function that counts the calls of one execution. */
function callCounter(registry: Registry): (result: ExecutionResult) => void {
  const registers = [registry];
  const calls = new Counter({
    name: 'toolwright_tool_calls_total',
    help: `Tool calls by tool (the first ${MAX_TOOLS}) and outcome: answered, failed, unanswered.`,
    labelNames: ['tool', 'outcome'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_tool_call_duration_seconds',
    help: `Time from the call to its answer, by tool (the first ${MAX_TOOLS}).`,
    labelNames: ['tool'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const toolLabel = boundedLabel(MAX_TOOLS);
  return (result) => {
    for (const call of result.calls) {
      const tool = NO_TOOL.has(call.code) ? UNKNOWN_TOOL : toolLabel(call.tool);
      calls.inc({ tool, outcome: call.status });
      duration.observe({ tool }, call.durationMs / 1000);
    }
  };
}

/** Registers the metrics of sizes and tokens. Returns a function that counts those of one execution. */
function tokenCounter(registry: Registry): (result: ExecutionResult) => void {
  const registers = [registry];
  const resultBytes = new Counter({
    name: 'toolwright_tool_result_bytes_total',
    help: 'Bytes of JSON in the results of tools.',
    registers,
  });
  const tokens = new Counter({
    name: 'toolwright_execution_tokens_total',
    help: 'Tokens (o200k_base) of programs, and of the results and logs that models read.',
    labelNames: ['part'] as const,
    registers,
  });
  const saved = new Counter({
    name: 'toolwright_execution_saved_tokens_total',
    help: `Estimate of the tokens of tool results that no model read: bytes / ${BYTES_PER_TOKEN}, less the output.`,
    registers,
  });
  return ({ stats: { toolResultBytes, tokens: used } }) => {
    resultBytes.inc(toolResultBytes);
    tokens.inc({ part: 'code' }, used.code);
    tokens.inc({ part: 'output' }, used.output);
    saved.inc(Math.max(0, Math.round(toolResultBytes / BYTES_PER_TOKEN) - used.output));
  };
}

function outcomeOf({ result }: ExecutionEnded): string {
  if (result === undefined) return 'refused';
  if (result.status !== 'stopped') return result.status;
  return result.limit === 'toolCalls' ? 'tool_calls' : result.limit;
}
