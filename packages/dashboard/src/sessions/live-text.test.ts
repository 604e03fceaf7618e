import { expect, test } from 'vitest';
import { applyEvents, type LiveText, NO_TEXT, type TaskEvent } from './live-text.ts';

type NewEvent<E = TaskEvent> = E extends unknown ? Omit<E, 'number'> : never;

const numbered = (...events: readonly NewEvent[]) =>
  events.map((event, index) => ({ ...event, number: index + 1 }) as TaskEvent);
const text = (value: string): NewEvent => ({ type: 'text-delta', text: value });
const shown = ({ parts }: LiveText) =>
  parts.map((part) => (part.is === 'text' ? part.text : `${part.code} ${part.status} ${part.calls}`));
const call = 'c1';
const execution = { executionId: 'e1', status: 'completed', toolCalls: 2, ms: 3 } as const;

const WORK = numbered(
  { type: 'status', status: 'running' },
  text('I '),
  text('look.'),
  { type: 'usage' },
  { type: 'code', call, code: 'return 1' },
  { type: 'tool-call', call },
  { type: 'waiting', call, execution: 'e1' },
  { type: 'tool-call', call },
  { type: 'result', call, execution },
  text('Done'),
);

test('texts and programs are parts in the order of the work', () => {
  expect(shown(applyEvents(NO_TEXT, WORK))).toEqual(['I look.', 'return 1 completed 2', 'Done']);
  expect(shown(applyEvents(NO_TEXT, WORK.slice(0, 7)))).toEqual(['I look.', 'return 1 suspended 1']);
  expect(applyEvents(NO_TEXT, WORK).parts[1]).toEqual({
    ...{ is: 'program', call, code: 'return 1', calls: 2, status: 'completed', executionId: 'e1' },
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
    ...[{ type: 'status', status: 'running' } as const, text('whole'), { type: 'end' } as const],
  );
  expect(shown(applyEvents(NO_TEXT, events.slice(0, 2)))).toEqual(['half']);
  expect(applyEvents(NO_TEXT, events)).toMatchObject({ parts: [{ text: 'whole' }], hasEnded: true, last: 5 });
});
