import { expect, test } from 'vitest';
import { withoutBinary } from '../../redaction/containers/binary-content.ts';
import { throughLists } from '../../redaction/containers/byte-lists.ts';
import { compressedFindings } from '../../redaction/containers/compressed-content.ts';
import { redactFindings } from '../../redaction/redact.ts';
import { PII_TYPES } from '../detector.ts';
import { isPlainValue } from './plain.ts';
import { createSeenTexts } from './seen-texts.ts';
import { detectValue } from './value.ts';

const KEYS = [
  ...['sum', 'id', 'count', 'status', 'value', 'data', 'type', 'kind', 'number', 'items', 'text', 'note', 'a', ''],
  ...['name', 'email', 'phone', 'address', 'city', 'token', 'next_token', 'dob', 'ssn', 'first', 'columns', 'rows'],
  ...['majorDimension', '0', '5', 'mimeType', 'blob', 'uri', 'ann@x.com', '+14155550123', '[EMAIL_1]', '__proto__'],
  ...['label', 'system', 'fields', 'W0VNQUlMXzFd', 'customer_name', 'created_at', 'login', 'page', 'v', 'f'],
];
const LEAVES = [
  ...[0, 7, 123_456_789, 4_155_550_123, -1.5, 12_345_678_901_234_567_890n, true, false, null, 94_105],
  ...[
    '',
    'open',
    'Ada Lovelace',
    'phone',
    'ssn',
    'ann@x.com',
    '415-555-0123',
    '[EMAIL_1]',
    'W0VNQUlMXzFd',
    '%5BAB_1%5D',
  ],
  ...['2026-11-30', 'hello 12', 'image', '4111111111111111', '078-05-1120', 'COLUMNS', 'San Francisco', '10.1.2.3'],
  ...['{"phone":"4155550123"}', 'eJwLSS0uUUgsLilKTM5WSMsvAgAw0gYl', 'AKIAIOSFODNN7EXAMPLE', '2001:db8::1', 'aB3xK9'],
];
const SCHEMAS = [
  undefined,
  { type: 'object', properties: { sum: { type: 'number' }, value: { description: 'The phone number' } } },
  { properties: { data: { type: 'string' }, id: { type: 'number' } } },
  { items: { properties: { value: { format: 'email' } } } },
];

/** A generator of numbers that is the same each time. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

function randomValue(next: (below: number) => number, depth: number): unknown {
  const kind = depth > 0 ? next(4) : 0;
  if (kind < 2) return LEAVES[next(LEAVES.length)];
  const items = Array.from({ length: next(8) }, () => randomValue(next, depth - 1));
  if (kind === 2) return items;
  return JSON.parse(
    `{${items.map((_, at) => `${JSON.stringify(KEYS[next(KEYS.length)])}:${at}`).join(',')}}`,
    (_, at) => (typeof at === 'number' ? items[at] : at),
  );
}

test('nothing of a plain value is found or changed by the whole search', async () => {
  const seen = createSeenTexts();
  const vault = {} as Parameters<typeof redactFindings>[2]['vault'];
  const next = random(36);
  let plain = 0;
  for (let round = 0; round < 8_000; round++) {
    const value = randomValue(next, 3);
    const schema = SCHEMAS[next(SCHEMAS.length)];
    if (!isPlainValue(value, schema, seen)) continue;
    plain++;
    expect(detectValue(value, { schema }), String(JSON.stringify([value, schema], bigints))).toEqual([]);
    expect(await compressedFindings(value, async () => [])).toEqual([]);
    expect((await withoutBinary(value)).value).toBe(value);
    const lists: unknown[] = [];
    expect(await throughLists(value, async (texts) => lists.push(texts) && texts)).toBe(value);
    expect(lists).toEqual([value]);
    expect(await redactFindings(value, [], { vault, types: new Set(PII_TYPES) })).toBe(value);
  }
  expect(plain).toBeGreaterThan(300);
});

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

test('a status and a sum are plain, also with a schema', () => {
  expect(isPlainValue({ sum: 3, status: 'open' }, { properties: { sum: { type: 'number' } } }, undefined)).toBe(true);
  expect(isPlainValue([{ id: 1 }, { id: 2 }], undefined, undefined)).toBe(true);
});

test.each([
  ['a name', { name: 'Ada' }],
  ['the value of a labelled entry', { type: 'phone', value: '4155' }],
  ['bytes', [91, 65, 66, 95, 49, 93]],
  ['a table', [['name'], ['Ada']]],
  ['a class', new Date(0)],
  ['many entries', Array.from({ length: 300 }, (_, id) => ({ id }))],
])('%s is left to the whole search', (_, value) => {
  expect(isPlainValue(value, undefined, undefined)).toBe(false);
});
