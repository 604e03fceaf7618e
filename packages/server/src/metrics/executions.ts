import type { ExecutionResult } from '@toolwright/core';
import { type ExecutionEnded, executionBegun, executionEnded } from '@toolwright/core/internal';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { boundedLabel } from './bounded.ts';

/** Tools that have series of their own; a tool more than that is counted as `other`. */
export const MAX_TOOLS = 200;
/** Stands for names that no tool has: the guest may think of any. */
const UNKNOWN_TOOL = 'unknown';
const NO_TOOL: ReadonlySet<string | undefined> = new Set(['UNKNOWN_TOOL', 'UNKNOWN_SERVER']);

/** From a call of a function to the longest execution that anybody waits for. */
export const DURATION_BUCKETS_SECONDS: number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];
/** Bytes of JSON that make about one token; what is said to be saved is an estimate for that reason. */
const BYTES_PER_TOKEN = 4;

/** Counts executions and their tool calls, each when the execution has ended. Returns what ends the counting. */
export function watchExecutions(registry: Registry): () => void {
  const registers = [registry];
  const where = ['sandbox', 'language'] as const;
  const running = new Gauge({
    name: 'toolwright_executions_in_progress',
    help: 'Executions that run or wait for a sandbox.',
    labelNames: where,
    registers,
  });
  const ended = new Counter({
    name: 'toolwright_executions_total',
    help: 'Executions by how they ended: completed, failed, refused, or the limit that stopped them.',
    labelNames: [...where, 'outcome'] as const,
    registers,
  });
  const errors = new Counter({
    name: 'toolwright_execution_errors_total',
    help: 'Errors that executions failed with, by whose fault it is and their code.',
    labelNames: ['kind', 'code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_execution_duration_seconds',
    help: 'From source to result, waiting included.',
    labelNames: where,
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const calls = new Counter({
    name: 'toolwright_tool_calls_total',
    help: `Tool calls by tool (the first ${MAX_TOOLS}) and outcome: answered, failed, unanswered.`,
    labelNames: ['tool', 'outcome'] as const,
    registers,
  });
  const callDuration = new Histogram({
    name: 'toolwright_tool_call_duration_seconds',
    help: `From the call to its answer, by tool (the first ${MAX_TOOLS}).`,
    labelNames: ['tool'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const resultBytes = new Counter({
    name: 'toolwright_tool_result_bytes_total',
    help: 'Bytes of JSON that tools answered with.',
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
  const toolLabel = boundedLabel(MAX_TOOLS);

  const countResult = (result: ExecutionResult) => {
    for (const call of result.calls) {
      const tool = NO_TOOL.has(call.code) ? UNKNOWN_TOOL : toolLabel(call.tool);
      calls.inc({ tool, outcome: call.status });
      callDuration.observe({ tool }, call.durationMs / 1000);
    }
    if (result.status === 'failed') errors.inc({ kind: result.error.kind, code: result.error.code });
    const { toolResultBytes, tokens: used } = result.stats;
    resultBytes.inc(toolResultBytes);
    tokens.inc({ part: 'code' }, used.code);
    tokens.inc({ part: 'output' }, used.output);
    saved.inc(Math.max(0, Math.round(toolResultBytes / BYTES_PER_TOKEN) - used.output));
  };
  const stops = [
    executionBegun.subscribe(({ sandbox, language }) => running.inc({ sandbox, language })),
    executionEnded.subscribe((execution) => {
      const { sandbox, language, result } = execution;
      running.dec({ sandbox, language });
      ended.inc({ sandbox, language, outcome: outcomeOf(execution) });
      if (result === undefined) return;
      duration.observe({ sandbox, language }, result.stats.totalMs / 1000);
      countResult(result);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function outcomeOf({ result }: ExecutionEnded): string {
  if (result === undefined) return 'refused';
  if (result.status !== 'stopped') return result.status;
  return result.limit === 'toolCalls' ? 'tool_calls' : result.limit;
}
