/** An event of a task, with the members that the page shows. */
export type TaskEvent = { readonly number: number } & (
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'retry'; readonly reason: string }
  | { readonly type: 'code'; readonly call: string; readonly code: string }
  | { readonly type: 'tool-call'; readonly call: string }
  | { readonly type: 'waiting'; readonly call: string; readonly execution: string }
  | { readonly type: 'result'; readonly call: string; readonly execution?: EndedProgram }
  | { readonly type: 'usage' }
  | { readonly type: 'end' }
);

interface EndedProgram {
  readonly executionId: string;
  readonly status: 'completed' | 'failed' | 'stopped';
}

/** The names of the events that {@link applyEvents} reads. */
export const TASK_EVENTS: readonly TaskEvent['type'][] = [
  ...(['status', 'text-delta', 'retry', 'code', 'tool-call', 'waiting', 'result', 'usage', 'end'] as const),
];

/** A part of the work on a task: text of the model, or a program of it. */
export type LivePart =
  | { readonly is: 'text'; readonly text: string; readonly isComplete: boolean }
  | {
      readonly is: 'program';
      readonly call: string;
      readonly code: string;
      readonly calls: number;
      readonly status: 'running' | 'suspended' | EndedProgram['status'];
      readonly executionId?: string;
    };
type ProgramPart = Extract<LivePart, { readonly is: 'program' }>;

/** The work on a task so far, as its events have it. */
export interface LiveText {
  /** Number of the last applied event: the stream continues after it. */
  readonly last: number;
  readonly parts: readonly LivePart[];
  /** Why the request to the model is repeated. */
  readonly retry?: string;
  readonly hasEnded: boolean;
}

export const NO_TEXT: LiveText = { last: 0, parts: [], hasEnded: false };

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
      // The model repeats an answer during which its process ended.
      return event.status === 'running' ? { ...next, parts: live.parts.filter(isKept) } : next;
    case 'usage':
      return { ...next, parts: live.parts.map((part) => (part.is === 'text' ? { ...part, isComplete: true } : part)) };
    case 'code': {
      const { call, code } = event;
      return { ...next, parts: [...live.parts, { is: 'program', call, code, calls: 0, status: 'running' }] };
    }
    case 'tool-call':
      return {
        ...next,
        parts: changed(live.parts, event.call, ({ calls }) => ({ calls: calls + 1, status: 'running' })),
      };
    case 'waiting':
      return {
        ...next,
        parts: changed(live.parts, event.call, () => ({ status: 'suspended', executionId: event.execution })),
      };
    case 'result': {
      // Without an execution, the program was refused.
      const { executionId, status = 'failed' } = event.execution ?? {};
      const of = executionId === undefined ? {} : { executionId };
      return { ...next, parts: changed(live.parts, event.call, () => ({ status, ...of })) };
    }
    case 'end':
      return { ...next, hasEnded: true };
  }
}

/** Returns whether a part stays when the model repeats its answer. */
function isKept(part: LivePart): boolean {
  return part.is !== 'text' || part.isComplete;
}

function withText(parts: readonly LivePart[], text: string): readonly LivePart[] {
  const last = parts.at(-1);
  if (last?.is !== 'text' || last.isComplete) return [...parts, { is: 'text', text, isComplete: false }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text }];
}

function changed(
  parts: readonly LivePart[],
  call: string,
  change: (part: ProgramPart) => Partial<ProgramPart>,
): readonly LivePart[] {
  return parts.map((part) => (part.is === 'program' && part.call === call ? { ...part, ...change(part) } : part));
}
