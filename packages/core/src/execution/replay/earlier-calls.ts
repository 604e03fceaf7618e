import { exactText } from '@toolwright/sandbox/internal';
import type { ToolCallRecord } from '../../journal/call-record.ts';
import type { RecordedCall, Recording } from '../../journal/recording/recording.ts';
import type { EarlierCalls } from '../../tool-calls/calls.ts';
import type { ForkPoint } from '../fork/point.ts';

/** Returns the calls of a recording, for the execution that continues it. */
export function earlierCalls({ calls, questions, replies }: Recording): EarlierCalls {
  const received = new Set(replies.map(({ request }) => request));
  const numbers = [...calls.values(), ...[...questions.values()].flat()].map(({ number }) => number);
  return {
    count: Math.max(0, ...numbers),
    records: [...calls].flatMap(([request, call]) => (received.has(request) ? recordOf(call) : [])),
    find(request) {
      const call = calls.get(request);
      const number = call?.number ?? questions.get(request)?.[0]?.number;
      if (number === undefined || received.has(request)) return undefined;
      const { answer, pause, state } = call ?? {};
      const last = questions.get(request)?.at(-1);
      const login = call === undefined && last?.kind === 'authorization' ? last.realDetails : undefined;
      return {
        number,
        isSent: call !== undefined,
        pause,
        login,
        state,
        answer,
      };
    },
  };
}

function recordOf({ number, tool, arguments: args, startedAt, answer }: RecordedCall): ToolCallRecord[] {
  if (!answer) return [];
  const { ok, at, text } = answer;
  return [
    {
      number,
      tool,
      status: ok ? 'answered' : 'failed',
      durationMs: Date.parse(at) - Date.parse(startedAt),
      argumentBytes: Buffer.byteLength(exactText(args)),
      resultBytes: ok ? Buffer.byteLength(text) : 0,
      code: ok ? undefined : JSON.parse(text).code,
    },
  ];
}

/** Returns the calls that a fork repeats. */
export function forkedCalls({ at, calls, replies }: ForkPoint): EarlierCalls {
  const answers = new Map(replies.map((reply) => [reply.request, reply]));
  return {
    count: at,
    records: calls.flatMap(({ number, request, tool, arguments: args }) => {
      const { ok = true, payload = '' } = answers.get(request) ?? {};
      if (tool === undefined) return [];
      const record: ToolCallRecord = {
        number,
        tool,
        status: ok ? 'answered' : 'failed',
        durationMs: 0,
        argumentBytes: Buffer.byteLength(exactText(args)),
        resultBytes: ok ? Buffer.byteLength(payload) : 0,
        code: ok ? undefined : JSON.parse(payload).code,
      };
      return [record];
    }),
    find: () => undefined,
  };
}
