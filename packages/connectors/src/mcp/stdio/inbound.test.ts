import { expect, test } from 'vitest';
import { InboundLimiter, type LargeLine, LineReader } from './inbound.ts';

function read(chunks: readonly (string | Buffer)[], maxBytes = 100): (string | LargeLine)[] {
  const lines: (string | LargeLine)[] = [];
  const reader = new LineReader(lines, maxBytes);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return lines;
}

test('returns complete lines for any chunks', () => {
  const bytes = Buffer.from('{"a":"ü"}\r\n\nlast\nunfinished');
  const expected = ['{"a":"ü"}', '', 'last'];
  expect(read([bytes])).toEqual(expected);
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

const excess = expect.stringMatching(/^a message of more than .* MiB$/);

test('skips one line over the maximum, but not many lines together', () => {
  expect(read(Array(50).fill('12345\n'), 5)).toHaveLength(50);
  expect(read(['123', '456', '789\nnext\n'], 5)).toEqual([{ excess, ids: [] }, 'next']);
});

test.each<[string, string, (string | number)[]]>([
  ['first', '{"jsonrpc":"2.0","id":7,"result":LONG}', [7]],
  ['last', '{"result":LONG,"jsonrpc":"2.0","id":"a\\"b"}', ['a"b']],
  ['after nested ids', '{"result":{"id":1,"a":[{"id":2},"\\"id\\":3"],"x":LONG} , "id" : 4 }', [4]],
  ['in a batch', '[{"id":1,"result":LONG},{"result":{"id":5},"id":2},{"method":"x","id":3}]', [1, 2]],
  ['of a request', '{"id":1,"method":"ping","params":LONG}', []],
  ['missing', '{"method":"notifications/x","params":LONG}', []],
  ['no id', '{"id":null,"result":LONG}', []],
  ['cut off', '{"id":9,"result":LONG', [9]],
  ['behind a long text', '{"x":LONG,"id":3,"result":{}}', [3]],
])('finds the id of a skipped answer, %s', (_place, template, ids) => {
  const line = `${template.replace('LONG', JSON.stringify(`"id":8,{${'x'.repeat(2_000)}`))}\n`;
  expect(read([line, 'next\n'], 1_000)).toEqual([{ excess, ids }, 'next']);
  expect(read([...line, 'next\n'], 1_000)).toEqual([{ excess, ids }, 'next']);
});

test('skips a line with too many values, and passes any nesting', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}\n`;
  expect(read([nested(100_000), nested(100_000)], 1e9)).toEqual([nested(100_000).trim(), nested(100_000).trim()]);
  expect(read([`{"id":1,"result":[${'{},'.repeat(600_000)}{}]}\n`], 1e9)).toEqual([
    { excess: 'a message with more than 1 million values', ids: [1] },
  ]);
  const inText = JSON.stringify('[{,"\\'.repeat(300_000));
  expect(read([`${inText}\n${inText}\n`], 1e9)).toHaveLength(2);
});

test('buffers a line of single bytes without extra memory', () => {
  const byte = Buffer.from('x');
  const reader = new LineReader([]);
  const before = process.memoryUsage();
  for (let index = 0; index < 4_000_000; index++) reader.push(byte);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(64 * 1024 * 1024);
});

test('measures long strings with escapes the same for all cuts', () => {
  const text = JSON.stringify(`${'x'.repeat(200)}"},[{\\${'y'.repeat(100)}\\"${'z'.repeat(70)}\n,`);
  const line = Buffer.from(`{"first":${text},"result":{"a":[${text},{"id":1,"b":${text}}]},"id":5,"last":${text}}\n`);
  for (let cut = 1; cut < line.length; cut++) {
    const chunks = [line.subarray(0, cut), line.subarray(cut)];
    expect(read(chunks, 1_000)).toEqual([{ excess, ids: [5] }]);
  }
});

test('keeps the chunks of a long line without a copy', () => {
  const chunks = Array.from({ length: 160 }, () => Buffer.alloc(65_536, 'x'));
  const lines: unknown[] = [];
  const reader = new LineReader(lines);
  const before = process.memoryUsage().arrayBuffers;
  for (const chunk of chunks) reader.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(65_536);
  reader.push(Buffer.from('\n'));
  expect(lines).toEqual(['x'.repeat(160 * 65_536)]);
});

function clocked() {
  let now = 0;
  const spend = (ms: number): void => {
    now += ms;
  };
  return { inboundLimiter: new InboundLimiter(() => now), spend };
}

test('accepts answers without a pause, at any cost', () => {
  const { inboundLimiter, spend } = clocked();
  for (let call = 0; call < 1_000; call++) {
    inboundLimiter.sent();
    inboundLimiter.take(() => spend(50));
  }
  expect(inboundLimiter.pauseMs()).toBe(0);
});

test('unrequested messages may use a fifth of the time, after the first 100 ms', () => {
  const { inboundLimiter, spend } = clocked();
  inboundLimiter.take(() => spend(100));
  expect(inboundLimiter.pauseMs()).toBe(0);
  inboundLimiter.take(() => spend(50));
  // 150 ms were used, 130 ms are allowed.
  expect(inboundLimiter.pauseMs()).toBe(100);
  spend(100);
  expect(inboundLimiter.pauseMs()).toBe(0);
});

test('a server that never rests floods after 10 s', () => {
  const { inboundLimiter, spend } = clocked();
  let waitedMs = 0;
  while (!inboundLimiter.isFlooded && waitedMs < 60_000) {
    inboundLimiter.take(() => spend(30));
    const pauseMs = inboundLimiter.pauseMs();
    spend(pauseMs);
    waitedMs += pauseMs + 30;
  }
  expect(waitedMs).toBeGreaterThanOrEqual(10_000);
  expect(waitedMs).toBeLessThan(11_000);
});

test('a server that rests between bursts does not flood', () => {
  const { inboundLimiter, spend } = clocked();
  for (let burst = 0; burst < 20; burst++) {
    inboundLimiter.take(() => spend(150));
    expect(inboundLimiter.pauseMs()).toBeGreaterThan(0);
    spend(5_000);
    expect([inboundLimiter.pauseMs(), inboundLimiter.isFlooded]).toEqual([0, false]);
  }
});

test('counts a minimum cost per message', () => {
  const inboundLimiter = new InboundLimiter(() => 0);
  for (let message = 0; message < 3_000; message++) inboundLimiter.take(() => undefined);
  expect(inboundLimiter.pauseMs()).toBeGreaterThan(100);
});
