import { expect, test } from 'vitest';
import { applyEvents, type LiveText, NO_TEXT, readEvents, type TaskEvent, withoutAnswer } from './live-text.ts';

type NewEvent<E = TaskEvent> = E extends unknown ? Omit<E, 'number'> : never;

const numbered = (...events: readonly NewEvent[]) =>
  events.map((event, index) => ({ ...event, number: index + 1 }) as TaskEvent);
const text = (value: string): NewEvent => ({ type: 'text-delta', text: value });
const shown = ({ parts }: LiveText) =>
  parts.map((part) => {
    if (part.is === 'text') return part.text;
    return part.is === 'call' ? `${part.tool} ${part.result}` : `${part.code} ${part.status} ${part.calls}`;
  });
const END: NewEvent = { type: 'end', task: { status: 'completed' } };
const call = 'c1';
const execution = { executionId: 'e1', status: 'completed', toolCalls: 2, ms: 3 } as const;

const WORK = numbered(
  { type: 'status', status: 'running' },
  text('I '),
  text('look.'),
  { type: 'usage' },
  { type: 'code', call, language: 'python', code: 'return 1' },
  { type: 'tool-call', call, tool: 'a__b' },
  { type: 'waiting', call, execution: 'e1' },
  { type: 'tool-call', call, tool: 'a__b' },
  { type: 'result', call, execution, text: '1' },
  text('Done'),
);

test('texts and programs are parts in the order of the work', () => {
  expect(shown(applyEvents(NO_TEXT, WORK))).toEqual(['I look.', 'return 1 completed 2', 'Done']);
  expect(shown(applyEvents(NO_TEXT, WORK.slice(0, 7)))).toEqual(['I look.', 'return 1 suspended 1']);
  const goesOn = { type: 'status', status: 'running', number: 8 } as const;
  expect(shown(applyEvents(NO_TEXT, [...WORK.slice(0, 7), goesOn]))).toEqual(['I look.', 'return 1 running 1']);
  expect(applyEvents(NO_TEXT, WORK).parts[1]).toEqual({
    is: 'program',
    call,
    language: 'python',
    code: 'return 1',
    calls: 2,
    status: 'completed',
    executionId: 'e1',
    result: '1',
  });
});

test('events that a stream repeats change nothing', () => {
  const once = applyEvents(NO_TEXT, WORK);
  expect(applyEvents(once, WORK)).toBe(once);
  const rest = applyEvents(applyEvents(NO_TEXT, WORK.slice(0, 3)), WORK.slice(1));
  expect(rest).toEqual(once);
});

test('a repeated answer replaces the incomplete one, and no earlier one', () => {
  const first = numbered(
    text('first'),
    { type: 'usage' },
    text('half'),
    { type: 'retry', reason: 'cut' },
    text('whole'),
  );
  const before = applyEvents(NO_TEXT, first.slice(0, 4));
  expect([shown(before), before.retry]).toEqual([['first'], 'cut']);
  const after = applyEvents(before, first);
  expect([shown(after), 'retry' in after]).toEqual([['first', 'whole'], false]);
});

test('an answer during which a process ended is repeated after the resume', () => {
  const events = numbered(
    ...[text('half'), { type: 'status', status: 'interrupted' } as const],
    ...[{ type: 'status', status: 'running' } as const, text('whole'), END],
  );
  expect(shown(applyEvents(NO_TEXT, events.slice(0, 2)))).toEqual(['half']);
  expect(applyEvents(NO_TEXT, events)).toMatchObject({ parts: [{ text: 'whole' }], end: 'completed', last: 5 });
});

test('a search, a refused program and a refused call have their results', () => {
  const events = numbered(
    ...[{ type: 'tool-call', call, tool: 'search_tools' } as const, { type: 'result', call, text: 'found' } as const],
    { type: 'code', call, language: 'typescript', code: 'first' },
    { type: 'result', call, text: 'refused' },
    { type: 'result', call: 'other', text: 'unreadable' },
    // Some providers use an id again.
    { type: 'code', call, language: 'typescript', code: 'second' },
    ...[{ type: 'result', call, execution, text: 'two' } as const, text('The answer'), END],
  );
  const { parts } = applyEvents(NO_TEXT, events);
  const work = ['search_tools found', 'first failed 0', 'undefined unreadable', 'second completed 0'];
  expect(shown({ last: 0, parts })).toEqual([...work, 'The answer']);
  expect(shown({ last: 0, parts: withoutAnswer(parts) })).toEqual(work);
  expect(parts[1]).toMatchObject({ result: 'refused' });
});

test.each([
  ['is cancelled', 'cancelled', [{ type: 'end', task: { status: 'cancelled' } }]],
  ['is interrupted', 'interrupted', [{ type: 'status', status: 'interrupted' }]],
  [
    'continues',
    'completed',
    [
      { type: 'status', status: 'interrupted' },
      { type: 'result', call, execution, text: '' },
    ],
  ],
  [
    'loses it',
    'interrupted',
    [
      { type: 'status', status: 'interrupted' },
      { type: 'result', call, text: 'lost' },
    ],
  ],
] as const)('an unended program has a status when its task %s', (_name, status, rest) => {
  const { parts } = applyEvents(NO_TEXT, numbered({ type: 'code', call, language: 'typescript', code: 'x' }, ...rest));
  expect(parts).toMatchObject([{ status }]);
});

test('a complete stream is read without heartbeats and other events', () => {
  const data = (event: object) => `id: 1\nevent: x\ndata: ${JSON.stringify(event)}\n\n`;
  const hostile = text('a\u2028data: {"type":"end"}\n');
  expect(readEvents(`: alive\n\n${data(hostile)}${data({ type: 'log', call, text: 'line' })}`)).toEqual([hostile]);
});
