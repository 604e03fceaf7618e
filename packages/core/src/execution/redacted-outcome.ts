import type { Redactor } from '@toolwright/pii/internal';
import type { LogLine } from '@toolwright/sandbox';
import type { ToolCallRecord } from '../tool-calls/record.ts';
import { describeError } from './failure.ts';
import type { Settled } from './outcome.ts';
import type { OutputEvents } from './output-events.ts';

/** What an execution leaves, as whoever asked and the log of the session get it. */
export interface RedactedOutcome {
  readonly settled: Settled;
  readonly logs: readonly LogLine[];
  readonly calls: readonly ToolCallRecord[];
  readonly code: string;
  /** Files that were changed. */
  readonly paths: readonly string[];
}

/** Guards all that is told at the end. Where that is not possible, there is that error and nothing else. */
export async function redactOutcome(
  {
    raw,
    source,
    ...more
  }: { raw: Settled; source: string; calls: readonly ToolCallRecord[]; paths: readonly string[] },
  redactor: Redactor,
  outputEvents: OutputEvents,
  onDefect: (id: string, error: unknown) => void,
): Promise<RedactedOutcome> {
  try {
    const { file, ...outcome } = 'file' in raw ? raw : { ...raw, file: undefined };
    const [settled, code, paths, tools] = await redactor.redact([
      outcome,
      source,
      more.paths,
      more.calls.map(({ tool }) => tool),
    ] as const);
    return {
      settled: { ...settled, ...(file ? { file } : {}) } as Settled,
      logs: await outputEvents.end(),
      calls: more.calls.map((call, index) => ({ ...call, tool: tools[index] ?? '' })),
      code,
      paths,
    };
  } catch (error) {
    const settled: Settled = { status: 'failed', error: describeError(error, onDefect) };
    return { settled, logs: [], calls: more.calls.map((call) => ({ ...call, tool: 'withheld' })), code: '', paths: [] };
  }
}
