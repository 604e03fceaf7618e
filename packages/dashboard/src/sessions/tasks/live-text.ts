/** An event of a task, with the members that the page shows. */
export type TaskEvent = { readonly number: number } & (
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'retry'; readonly reason: string }
  | { readonly type: 'code'; readonly call: string; readonly language: string; readonly code: string }
  | { readonly type: 'tool-call'; readonly call: string; readonly tool: string }
  | { readonly type: 'waiting'; readonly call: string; readonly execution: string }
  | { readonly type: 'result'; readonly call: string; readonly text: string; readonly execution?: EndedProgram }
  | { readonly type: 'usage' }
  | { readonly type: 'end'; readonly task: { readonly status: TaskEnd } }
);

type TaskEnd = 'completed' | 'stopped' | 'failed' | 'cancelled';

interface EndedProgram {
  readonly executionId: string;
  readonly status: 'completed' | 'failed' | 'stopped';
}

/** The names of the events that {@link applyEvents} reads. */
export const TASK_EVENTS: readonly TaskEvent['type'][] = [
  ...(['status', 'text-delta', 'retry', 'code', 'tool-call', 'waiting', 'result', 'usage', 'end'] as const),
];

/** A part of the work on a task: text of the model, a program, or a call without a program, such as a search. */
export type LivePart =
  | { readonly is: 'text'; readonly text: string; readonly isComplete: boolean }
  | {
      readonly is: 'program';
      readonly call: string;
      readonly language: string;
      readonly code: string;
      readonly calls: number;
      readonly status: 'running' | 'suspended' | 'interrupted' | 'cancelled' | EndedProgram['status'];
      readonly executionId?: string;
      /** The result or the error, as the model has it. */
      readonly result?: string;
    }
  /** Without `tool`: the call was refused. */
  | { readonly is: 'call'; readonly call: string; readonly tool?: string; readonly result?: string };
type ProgramPart = Extract<LivePart, { readonly is: 'program' }>;

/** The work on a task so far, as its events have it. */
export interface LiveText {
  /** Number of the last applied event: the stream continues after it. */
  readonly last: number;
  readonly parts: readonly LivePart[];
  /** Why the request to the model is repeated. */
  readonly retry?: string;
  /** The status of the ended task. */
  readonly end?: TaskEnd;
}

const DATA = 'data: ';
export const NO_TEXT: LiveText = { last: 0, parts: [] };

/** Parses the events of a complete stream that {@link applyEvents} reads. */
export function readEvents(stream: string): TaskEvent[] {
  const data = stream.split('\n').filter((line) => line.startsWith(DATA));
  const events = data.map((line) => JSON.parse(line.slice(DATA.length)) as TaskEvent);
  return events.filter(({ type }) => TASK_EVENTS.includes(type));
}

/** Returns the work without the answer at its end. */
export function withoutAnswer(parts: readonly LivePart[]): readonly LivePart[] {
  return parts.slice(0, parts.findLastIndex(({ is }) => is !== 'text') + 1);
}

/** Applies events in their order. Known ones change nothing, so that a stream may repeat them. */
export function applyEvents(live: LiveText, events: readonly TaskEvent[]): LiveText {
  return events.reduce((before, event) => (event.number <= before.last ? before : applyEvent(before, event)), live);
}

function applyEvent({ retry: _retry, ...live }: LiveText, event: TaskEvent): LiveText {
  const next = { ...live, last: event.number };
  switch (event.type) {
    case 'text-delta':
      return { ...next, parts: withText(live.parts, event.text) };
    case 'retry':
      return { ...next, parts: live.parts.filter(isKept), retry: event.reason };
    case 'status':
      if (event.status === 'interrupted') return { ...next, parts: endedAs(live.parts, 'interrupted') };
      // The model repeats an answer during which its process ended.
      return event.status === 'running' ? { ...next, parts: live.parts.filter(isKept).map(goesOn) } : next;
    case 'usage':
      return { ...next, parts: live.parts.map((part) => (part.is === 'text' ? { ...part, isComplete: true } : part)) };
    case 'code': {
      const { call, language, code } = event;
      return { ...next, parts: [...live.parts, { is: 'program', call, language, code, calls: 0, status: 'running' }] };
    }
    case 'end': {
      const { status } = event.task;
      return { ...next, parts: endedAs(live.parts, status === 'cancelled' ? status : 'stopped'), end: status };
    }
    default:
      return { ...next, parts: withCall(live.parts, event) };
  }
}

const WITHOUT_EXECUTION: { readonly [Status in ProgramPart['status']]?: ProgramPart['status'] } = {
  running: 'failed',
  suspended: 'interrupted',
};

type CallEvent = Extract<TaskEvent, { readonly type: 'tool-call' | 'waiting' | 'result' }>;

function withCall(parts: readonly LivePart[], event: CallEvent): readonly LivePart[] {
  const { call } = event;
  // A provider may use an id again: the last part with it is meant.
  const place = parts.findLastIndex((part) => part.is !== 'text' && part.call === call);
  const part = parts[place];
  if (part?.is === 'program' && (isUnended(part) || event.type !== 'tool-call'))
    return parts.with(place, { ...part, ...programChange(part, event) });
  if (event.type === 'tool-call') return [...parts, { is: 'call', call, tool: event.tool }];
  if (event.type !== 'result') return parts;
  if (part?.is === 'call' && part.result === undefined) return parts.with(place, { ...part, result: event.text });
  return [...parts, { is: 'call', call, result: event.text }];
}

function programChange({ calls, status }: ProgramPart, event: CallEvent): Partial<ProgramPart> {
  if (event.type === 'tool-call') return { calls: calls + 1, status: 'running' };
  if (event.type === 'waiting') return { status: 'suspended', executionId: event.execution };
  const { execution, text: result } = event;
  if (execution !== undefined) return { status: execution.status, executionId: execution.executionId, result };
  // A program that did not begin was refused. Another one ended with its process.
  return { status: WITHOUT_EXECUTION[status] ?? status, result };
}

function isUnended({ result }: ProgramPart): boolean {
  return result === undefined;
}

function endedAs(parts: readonly LivePart[], status: 'interrupted' | 'cancelled' | 'stopped'): readonly LivePart[] {
  return parts.map((part) => (part.is === 'program' && isUnended(part) ? { ...part, status } : part));
}

/** Returns whether a part stays when the model repeats its answer. */
function isKept(part: LivePart): boolean {
  return part.is !== 'text' || part.isComplete;
}

/** Returns a program that waited as running. */
function goesOn(part: LivePart): LivePart {
  return part.is === 'program' && part.status === 'suspended' ? { ...part, status: 'running' } : part;
}

function withText(parts: readonly LivePart[], text: string): readonly LivePart[] {
  const last = parts.at(-1);
  if (last?.is !== 'text' || last.isComplete) return [...parts, { is: 'text', text, isComplete: false }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text }];
}
