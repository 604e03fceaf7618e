import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { messageSeal } from './message-seal.ts';

const MINUTE_MS = 60_000;

/** Opens processes of one cluster with one clock. */
function openProcesses() {
  const key = randomBytes(32);
  const clock = { now: Date.UTC(2026, 0, 1) };
  const warnings: string[] = [];
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const open = (skewMs = 0, ownKey = key) => messageSeal({ key: ownKey, logger, now: () => clock.now + skewMs });
  return { open, clock, warnings };
}

/** Opens messages again and again, and returns the results. */
function opened(seal: ReturnType<typeof messageSeal>, topic: string, messages: readonly Buffer[]): unknown[] {
  return Array.from({ length: 50 }, () => messages.map((message) => seal.open(topic, message))).flat();
}

test('messages of all topics and senders arrive once, in the order of their sender', () => {
  const { open, warnings } = openProcesses();
  const [first, second, reader] = [open(), open(), open()];
  const sent = Array.from({ length: 100 }, (_, index) => ({ topic: `topic-${index % 7}`, text: `${index} \u{1F600}` }));
  const arrived = sent.flatMap(({ topic, text }) => [
    reader.open(topic, first.seal(topic, text)),
    reader.open(topic, second.seal(topic, text)),
  ]);
  expect(arrived).toEqual(sent.flatMap(({ text }) => [text, text]));
  expect(warnings).toEqual([]);
});

test('a forged, altered and moved message, and one of another cluster, are refused and logged once', () => {
  const { open, warnings } = openProcesses();
  const [sender, reader] = [open(), open()];
  const sealed = sender.seal('topic', 'text');
  const altered = Array.from(sealed, (byte, index) => {
    const copy = Buffer.from(sealed);
    copy[index] = byte ^ 1;
    return copy;
  });
  const forged = [
    Buffer.alloc(0),
    Buffer.from('text'),
    Buffer.from('["a",1,2,"text"]'),
    sealed.subarray(1),
    randomBytes(200),
  ];
  const foreign = [
    sender.seal('topics', 'text'),
    sender.seal('', 'text'),
    open(0, randomBytes(32)).seal('topic', 'text'),
  ];
  expect(new Set(opened(reader, 'topic', [...altered, ...forged, ...foreign]))).toEqual(new Set([undefined]));
  expect(warnings).toEqual([
    'refused a message to the cluster: it was not sealed by a process of this cluster for this topic',
  ]);
  expect(reader.open('topic', sealed)).toBe('text');
});

test('a message that is sent again is refused and logged once, also after later ones and on another topic before', () => {
  const { open, warnings } = openProcesses();
  const [sender, reader] = [open(), open()];
  const [before, early, late] = ['a', 'b', 'b'].map((topic, index) => sender.seal(topic, `${index}`)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  expect([reader.open('b', early), reader.open('b', late)]).toEqual(['1', '2']);
  expect(new Set([...opened(reader, 'b', [early, late]), ...opened(reader, 'a', [before])])).toEqual(
    new Set([undefined]),
  );
  expect(warnings).toEqual(['refused a message to the cluster: it was sent again']);
});

test('a new process accepts no message that is older than the window, or newer', () => {
  const { open, clock, warnings } = openProcesses();
  const [sender, ahead, behind] = [open(), open(60 * MINUTE_MS), open(-60 * MINUTE_MS)];
  const old = sender.seal('topic', 'old');
  clock.now += 16 * MINUTE_MS;
  const reader = open();
  const messages = [old, ahead.seal('topic', 'ahead'), behind.seal('topic', 'behind')];
  expect(new Set(opened(reader, 'topic', messages))).toEqual(new Set([undefined]));
  expect(warnings).toEqual([
    'refused a message to the cluster: it is too old or too new: check the clocks of the machines',
  ]);
  expect(reader.open('topic', open(10 * MINUTE_MS).seal('topic', 'of a clock that differs by minutes'))).toBeDefined();
});

test('the log has a line again after a while, with the number of refused messages', () => {
  const { open, clock, warnings } = openProcesses();
  const reader = open();
  for (let count = 0; count < 500; count++) {
    reader.open('topic', randomBytes(100));
    clock.now += MINUTE_MS / 60;
  }
  clock.now += 2 * MINUTE_MS;
  reader.open('topic', randomBytes(100));
  expect(warnings).toHaveLength(2);
});

test('the name of a topic does not show it, and is the same for all processes of the cluster alone', () => {
  const { open } = openProcesses();
  expect(open().nameOf('task:ann')).toBe(open().nameOf('task:ann'));
  expect(open().nameOf('task:ann')).toMatch(/^[\w-]{22}$/);
  expect(open().nameOf('task:ann')).not.toBe(open(0, randomBytes(32)).nameOf('task:ann'));
});
