import { ToolwrightError } from '../../errors.ts';
import type { RecordedReply, Recording } from '../../journal/recording/recording.ts';

/** The part of a recorded execution that a fork repeats. */
export interface ForkPoint {
  /** Id of the recorded execution. */
  readonly from: string;
  /** Number of the last repeated call. */
  readonly at: number;
  readonly seed: number;
  /** The readings of the clock before the end of this part. */
  readonly clock: readonly number[];
  /** The repeated calls, in the order in which the program made them. */
  readonly calls: readonly ForkedCall[];
  /** The answers, of the calls and of other requests, in the order of delivery. */
  readonly replies: readonly RecordedReply[];
  /** Replaces the answer of the last call. */
  readonly answer?: { readonly value: unknown };
}

/** A tool call that a fork repeats without sending it. */
export interface ForkedCall {
  readonly number: number;
  readonly request: number;
  /** Code of the exact request. */
  readonly mac: string;
  /** Absent, like the arguments, for a call that was refused before it was sent. */
  readonly tool?: string;
  readonly arguments?: unknown;
  /** The key of the policy's limit that the call used; only for a call that was sent. */
  readonly limit?: string;
}

/** The options that select the part to repeat. */
export interface ForkPosition {
  /** Number of the last call to repeat, as `executions.calls` counts; 0 for none. */
  readonly at: number;
  /** The answer to this call, as JSON data, instead of the recorded one. */
  readonly answer?: unknown;
}

/**
 * Selects the part of a recording that a fork repeats: everything that the program received until the answers of its first `at`
 * calls. Raises `CONFIG_INVALID` for a number without a recorded answer, and `NOT_SUPPORTED` for answers in plain text.
 */
export function forkPoint(recording: Recording, { at, answer }: ForkPosition): ForkPoint {
  const { start, clock } = recording;
  const all = callsOf(recording);
  const last = all.at(-1)?.number ?? 0;
  if (!Number.isInteger(at) || at < 0 || at > last) {
    const many = `${last} tool ${last === 1 ? 'call' : 'calls'}`;
    throw refused(`Execution ${start.id} has ${many}: "at" must be a whole number from 0 to ${last}, not ${at}.`);
  }
  if (answer !== undefined && at === 0) throw refused('An answer belongs to a call: "at" must be at least 1.');
  const calls = all.filter(({ number }) => number <= at);
  const { replies, readings } = repliesOf(recording, calls, all);
  const replaced = answer === undefined ? undefined : calls.at(-1);
  const missing = calls.find(({ request }) => !replies.some((reply) => reply.request === request));
  if (missing && missing !== replaced) {
    const message = `Call ${missing.number} of execution ${start.id} has no answer. Fork at a call before it, or at this call with an answer.`;
    throw refused(message);
  }
  if (replies.some(({ clear }) => clear !== undefined)) {
    const message = `Execution ${start.id} cannot be forked at call ${at}: its program read values in plain text, which its journal does not have.`;
    throw new ToolwrightError('NOT_SUPPORTED', message);
  }
  return {
    from: start.id,
    at,
    seed: start.seed,
    calls,
    clock: clock.slice(0, readings),
    replies: missing ? [...replies, { ...replyTo(missing, true, 'null'), readings }] : replies,
    answer: answer === undefined ? undefined : { value: answer },
  };
}

/** Returns all calls in the order in which the program made them. A refused call has a number, but no journal entry. */
function callsOf({ calls, questions, replies }: Recording): ForkedCall[] {
  const first = new Map([...questions].flatMap(([request, [question]]) => (question ? [[request, question]] : [])));
  const macs = new Map([...calls, ...first].map(([request, { mac }]) => [request, mac]));
  for (const { request, operation, mac } of replies) if (operation === 'call') macs.set(request, mac);
  let count = 0;
  return [...macs]
    .sort(([a], [b]) => a - b)
    .map(([request, mac]) => {
      const { number, limit } = calls.get(request) ?? {};
      const known = calls.get(request) ?? first.get(request);
      count = number ?? known?.number ?? count + 1;
      const shown = known ? { tool: known.tool, arguments: known.arguments } : {};
      return { number: count, request, mac, ...shown, limit };
    });
}

/** Returns the answers before the first one of a later call, and all of the repeated calls, with the readings of the clock before. */
function repliesOf(
  { replies, clock, calls: recorded }: Recording,
  calls: readonly ForkedCall[],
  all: readonly ForkedCall[],
): { readonly replies: readonly RecordedReply[]; readonly readings: number } {
  const later = new Set(all.slice(calls.length).map(({ request }) => request));
  const left = new Set(calls.map(({ request }) => request));
  let end = 0;
  while (left.size > 0) {
    const reply = replies[end];
    if (!reply || later.has(reply.request)) break;
    left.delete(reply.request);
    end++;
  }
  const readings = left.size > 0 ? (replies[end]?.readings ?? clock.length) : (replies[end - 1]?.readings ?? 0);
  const overtaken = replies.slice(end).filter(({ request }) => left.delete(request));
  // A crash can come between an answer of a tool and its delivery.
  const undelivered = calls.flatMap((call) => {
    const answer = left.has(call.request) ? recorded.get(call.request)?.answer : undefined;
    if (!answer) return [];
    const payload = answer.ok ? answer.text : JSON.stringify({ name: 'ToolError', ...JSON.parse(answer.text) });
    return [{ ...replyTo(call, answer.ok, payload), readings }];
  });
  return { replies: [...replies.slice(0, end), ...overtaken, ...undelivered], readings };
}

function replyTo({ request, mac }: ForkedCall, ok: boolean, payload: string): Omit<RecordedReply, 'readings'> {
  return { request, mac, operation: 'call', ok, payload };
}

function refused(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
